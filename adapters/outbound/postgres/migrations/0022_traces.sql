-- The trace that a delivery belongs to.

-- Why: a W3C traceparent of version 00, as the message brought it that made the delivery; null where nobody
-- follows it. Nothing else of that length and form is let in.
alter table tickler.deliveries
    add column traceparent text
    check (length(traceparent) = 55 and traceparent ~ '^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$');
