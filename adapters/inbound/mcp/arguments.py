"""What the tools take, as their JSON Schemas tell the agent. No tool takes a place for the answer."""

from typing import Annotated

from pydantic import Field

from adapters.inbound.shapes import Id, Policy, Shape
from domain.deferred_touch import WhenClientWrites

Limit = Annotated[int, Field(ge=1, le=100, description="How many at most.")]


class DeferTouch(Shape):
    when: str = Field(
        max_length=100,
        description="When, in the client's own words or as a time: 'in 10 minutes', 'tomorrow at 9',"
        " 'on Tuesday', 'через полтора месяца', '2026-12-08T10:00'."
        " Times are the client's, whatever your own zone.",
    )
    text: str | None = Field(
        default=None,
        description="For kind 'message', what to say to the client then. Else, what the work is about.",
    )
    kind: str = Field(
        default="message",
        max_length=40,
        description="'message' says the text then; 'call' has your platform called then, to find the answer.",
    )
    when_client_writes: Policy = Field(
        default=WhenClientWrites.KEEP,
        description="What becomes of it when the client writes first: 'keep' it, or 'cancel' it.",
    )
    key: str | None = Field(
        default=None,
        max_length=200,
        description="Give the same key to say the same request again. Without one, the same text for the same"
        " minute is the same request.",
    )


class ListTouches(Shape):
    limit: Limit = 50
    after: Id | None = Field(default=None, description="Those after this touchId, to go on with the list.")


class CancelTouch(Shape):
    touch_id: Id = Field(description="The touchId that defer_touch or list_touches gave.")


class Upcoming(Shape):
    days: int = Field(default=30, ge=1, le=3660, description="How many days to look ahead.")
    limit: Limit = 50
