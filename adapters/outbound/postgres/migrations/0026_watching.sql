-- What a person should look at, counted every few seconds.

-- Why: how many messages stand Failed or Unknown, among all that were ever sent.
create index ix_deliveries_left on tickler.deliveries (status) where status in ('Failed', 'Unknown');

-- Why: how many touches failed for good, among all that there ever were.
create index ix_deferred_touches_failed on tickler.deferred_touches (id) where status = 'Failed';
