-- Who was erased is known to be, so that nothing is taken about them again.

alter table tickler.people
    add column is_erased boolean not null default false,
    add constraint erased_is_no_member check (not (is_erased and is_member));

-- Those who were erased before: no handle looks like an id but theirs.
update tickler.people set is_erased = true where handle = id::text and not is_member;
