-- Lists of all tenants' events in the order of their start.

-- Why: the list walks it from a day on, and from page to page, and stops at the limit; without it every event of
-- the window is read and sorted. As that of a tenant, it is written to by a plan and a move only.
create index ix_calendar_events_start on tickler.calendar_events (start_at, id);
