-- Which events came out of which calendar. Digests of names, UIDs and titles: nothing can be read from them.

create table tickler.imports (
    source      uuid    primary key, -- Why: a file is read again by the ids that follow from it.
    event_id    uuid    not null,
    calendar    uuid    not null,
    uid         uuid    not null,
    sequence    integer not null check (sequence >= 0),
    fingerprint uuid    not null,
    ended       text    not null check (ended in ('', 'called off', 'missing'))
);

-- Why: what came out of a calendar before, to find what is gone from it.
create index ix_imports_calendar on tickler.imports (calendar);

-- Why: every start asks whether an open event was reckoned by other zone data; nearly always there is none.
create index ix_calendar_events_tz_version on tickler.calendar_events (tz_version)
    where status in ('Planned', 'InProgress');
