-- A delivery that cannot be read would stand at the head of its channel: what is not a template is not taken.
alter table tickler.deliveries add constraint template_is_known
    check (template in ('AppointmentReminder', 'CalendarReminder'));
