-- What is over and old is found by time, where ids tell nothing of it.

-- Why: the published messages, the longest published first. Their one write there comes with the relay's mark.
create index ix_outbox_published on tickler.outbox (published_at, message_id) where published_at is not null;

-- Why: what was taken in, the longest ago first; new entries go to its end.
create index ix_inbox_received_at on tickler.inbox (received_at, reminder_id, consumer);

-- Why: the idempotency keys of a touch, which go with it.
create index ix_touch_requests_touch_id on tickler.touch_requests (touch_id);
