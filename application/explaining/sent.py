"""Where a reminder that was sent stands: its message is in the outbox, or was taken in, or reached people."""

from collections import Counter

from application.explaining.explanation import OVERDUE, Explanation, Situation, counted, lasting, told
from application.explaining.reminder_facts import ReminderFacts


def explain_sent(facts: ReminderFacts) -> Explanation:
    one, message, setup = facts.reminder, facts.message, facts.setup
    assert one.sent_at is not None
    sent = f"was Sent at {facts.noted(one.sent_at)}, {lasting(one.sent_at - one.due_at)} after its time."
    if facts.deliveries or facts.received_at is not None:
        return _received(facts, sent)
    if message is None:
        says = (
            f"{sent} Its message is not in the outbox any more, and nothing is kept of its deliveries:"
            " what is over is forgotten some time later."
        )
        return told(facts, Situation.NO_TRACE, says, since=one.sent_at)
    if message.parked_at is not None:
        says = (
            f"{sent} Its message was refused for good at {facts.noted(message.parked_at)}: {message.reason}."
            " It stays parked, and reaches nobody, until somebody has mended that and gives it back:"
            f" `tickler outbox retry {one.id}`."
        )
        return told(facts, Situation.PARKED, says, since=message.parked_at)
    if message.published_at is not None:
        is_record = setup.publishes_to == "kafka"
        hint = " (a record that cannot be read is among `tickler kafka quarantined`)" if is_record else ""
        says = (
            f"{sent} Its message was published at {facts.noted(message.published_at)}, and notifications have"
            f" not taken it in yet. They do as soon as they come to it{hint}; then it becomes messages to"
            " people."
        )
        return told(facts, Situation.PUBLISHED, says, since=message.published_at)
    if message.relay is not None and message.lease_until is not None and facts.now < message.lease_until:
        says = (
            f"{sent} Its message is being published: a relay has it until"
            f" {facts.noted(message.lease_until)} at the latest, and if that falls silent another one takes"
            " it then."
        )
        return told(facts, Situation.BEING_PUBLISHED, says, latest_at=message.lease_until)
    return _in_the_outbox(facts, sent)


def _in_the_outbox(facts: ReminderFacts, sent: str) -> Explanation:
    one, setup = facts.reminder, facts.setup
    assert one.sent_at is not None
    waits = facts.now - one.sent_at
    soon = lasting(setup.relay_every)
    says = f"{sent} Its message waits in the outbox: the relay takes it within about {soon}."
    if waits > OVERDUE:
        kafka = (
            ", and with `tickler kafka check` what the cluster says" if setup.publishes_to == "kafka" else ""
        )
        says = (
            f"{sent} Its message has been waiting in the outbox for {lasting(waits)}, which is too long: look"
            f" whether `tickler run` is running with its relay loop{kafka}. It is kept until it is published."
        )
    return told(facts, Situation.IN_THE_OUTBOX, says, latest_at=one.sent_at + OVERDUE)


def _received(facts: ReminderFacts, sent: str) -> Explanation:
    parts, received_at = facts.deliveries, facts.received_at
    taken_in = "Notifications took it in"
    taken_in += f" at {facts.noted(received_at)}" if received_at is not None else ""
    if not parts:
        says = f"{sent} {taken_in}, and nothing is kept of its deliveries any more."
        return told(facts, Situation.NO_TRACE, says, since=received_at)
    if all(part.situation is Situation.DELIVERED for part in parts):
        its = "its message" if len(parts) == 1 else f"all of its {len(parts)} messages"
        last = max((part.since for part in parts if part.since), default=received_at)
        return told(facts, Situation.DELIVERED, f"{sent} {taken_in}, and {its} arrived.", since=last)
    stand = Counter(part.status for part in parts)
    each = ", ".join(f"{count} {status}" for status, count in stand.items())
    says = f"{sent} {taken_in}, and it became {counted(len(parts), 'message')}: {each}."
    return told(facts, Situation.RECEIVED, says, since=received_at)
