"""A test message to an address, at once and outside of all queues."""

from attrs import frozen

from application.ports.channel import Channel, Outcome, OutcomeUnknown, OutgoingMessage, RefusedForGood
from application.ports.machine import Ids
from application.ports.people import ContactPoint, People, Person
from application.ports.templates import Templates
from application.wording import language_of

TEMPLATE = "ContactTest"


@frozen
class Verifying:
    """Whether an address works, asked of its channel."""

    people: People
    templates: Templates
    ids: Ids

    def verify(self, person: Person, point: ContactPoint, channel: Channel) -> Outcome:
        """Send a test message in the person's language and give back what the channel said.

        Each time it is a message of its own. One who opted out gets none: RefusedForGood.
        """
        if point.opted_out:
            return RefusedForGood("its person opted out of it")
        said = self.templates.contact_test(language_of(person, person.tenant_id, self.people, self.templates))
        data: dict[str, str | int | None] = {
            "contactPointId": str(point.id),
            "tenantId": str(person.tenant_id),
        }
        message = OutgoingMessage(
            self.ids.new(),
            point.address,
            TEMPLATE,
            said.subject,
            said.text,
            data,
            html=said.html,
            secret=point.secret,
        )
        try:
            return channel.send(message)
        except Exception as problem:
            return OutcomeUnknown(f"the channel broke: {type(problem).__name__}")
