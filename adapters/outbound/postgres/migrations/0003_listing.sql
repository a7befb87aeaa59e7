-- Lists of a tenant's events in the order of their start.

-- Why: a list walks a tenant's part of it from a day on and stops at the limit. Only a move writes to it: every
-- other change of an event leaves its start, and with it this index, as it is.
create index ix_calendar_events_tenant_start on tickler.calendar_events (tenant_id, start_at, id);
