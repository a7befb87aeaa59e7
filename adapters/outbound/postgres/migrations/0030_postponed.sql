-- While a channel's other side is away its messages pile up, each put off for a while: a claim passes them over.

drop index tickler.ix_deliveries_pending;

-- Why: the sender of a channel takes the oldest that may be tried; what is put off it passes over in the index.
create index ix_deliveries_pending on tickler.deliveries (channel, due_at, id, not_before)
    where status = 'Pending';
