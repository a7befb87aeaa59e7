-- Why: a round of a touch's work has a number of its own for good, also after a retry by hand counts anew.
alter table tickler.deferred_touches add column rounds_before integer not null default 0;
