"""`/api/v1/sessions`: a platform opens one for each conversation, and gives the agent its token."""

from datetime import timedelta
from uuid import UUID

from fastapi import APIRouter

from adapters.codec import instant_text
from adapters.inbound.http.admitting import TheDesk, WithSessions
from adapters.inbound.http.document import WITH_A_BODY, refusals
from adapters.inbound.http.problems import NotThere
from adapters.inbound.http.reading import person_key
from adapters.inbound.shapes import NewSession, SessionShape
from application.ports.tokens import TokenId
from domain.errors import Invalid
from domain.values import ContactPointId, TouchId

router = APIRouter(tags=["sessions"])


@router.post("/sessions", status_code=201, responses={**refusals(404, 409), **WITH_A_BODY})
def open_session(body: NewSession, desk: TheDesk, token: WithSessions) -> SessionShape:
    """A session for a person at an address of theirs, or for the work on a touch; its token is shown once."""
    lasts = timedelta(seconds=body.lasts_seconds)
    match body.person, body.touch_id, body.contact_point_id:
        case str(person), None, point:
            point_id = None if point is None else ContactPointId(point)
            issued = desk.access.open_session(token, person_key(person), point_id, lasts)
        case None, UUID() as touch_id, None:
            issued = desk.access.open_session_in_work(token, TouchId(touch_id), lasts)
        case _:
            raise Invalid("person: give person, with contactPointId or without, or touchId alone")
    made = issued.token
    assert made.session is not None
    assert made.expires_at is not None
    return SessionShape(
        session_id=str(made.id),
        token=issued.secret,
        expires_at=instant_text(made.expires_at),
        channel=made.session.origin.channel,
    )


@router.delete("/sessions/{session_id}", status_code=204, responses=refusals(404))
def end_session(session_id: UUID, desk: TheDesk, token: WithSessions) -> None:
    """End a session that this token opened; what was put off in it stays."""
    if not desk.access.end_session(token, TokenId(session_id)):
        raise NotThere
