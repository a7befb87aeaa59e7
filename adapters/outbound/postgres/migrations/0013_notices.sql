-- A delivery need not be about a reminder: a tenant's operator is told of what went wrong by deliveries too.

alter table tickler.deliveries rename column reminder_id to about_id;
alter table tickler.deliveries alter column event_id drop not null;
alter table tickler.deliveries drop constraint template_is_known;
alter table tickler.deliveries add constraint template_is_known
    check (template in ('AppointmentReminder', 'CalendarReminder', 'OperatorNotice'));
alter table tickler.deliveries add constraint event_unless_a_notice
    check ((event_id is null) = (template = 'OperatorNotice'));

-- What a notice tells of, in ids only.
create table tickler.notice_matters (
    notice_id uuid not null,
    kind      text not null,
    id        uuid not null,
    event_id  uuid,
    -- Why: a matter is told of once in a notice; finds those of a notice, and the first of them in order.
    primary key (notice_id, kind, id)
);
