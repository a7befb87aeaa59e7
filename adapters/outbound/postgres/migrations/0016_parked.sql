-- The list of what was refused for good.

-- Why: an operator's list of parked messages, the longest parked first; no message is in it that goes its way.
create index ix_outbox_parked on tickler.outbox (parked_at, position) where parked_at is not null;
