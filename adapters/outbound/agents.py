"""The kind `call`: a touch that has come due is posted to its tenant's agent platform, which does the work.

See docs/guides/write-a-touch-handler.md for both ends of it.
"""

import json
import ssl
from datetime import datetime, timedelta
from typing import Any

from attrs import field, frozen

from adapters.outbound.channels.posting import Answered, NoAnswer, NotSent, SignedPosts, Unheard
from adapters.outbound.channels.signing import checked_secret, new_secret
from adapters.outbound.channels.wire import system_trust
from application.ports.machine import Clock
from application.ports.people import AgentPlatform, People
from application.ports.work import Again, NothingToSay, Outcome, Say, Work, WorkFailed
from domain.errors import Invalid


@frozen
class AgentPlatforms:
    """`webhook-id` is the work's key: a platform that has seen it answers as it did before.

    A whole call takes `seconds` at most. Answers: 200 with `{"answer": "…"}`, `{"againAt": "…Z"}` or `{}`,
    or 204; anything else is a failed attempt.
    """

    people: People
    clock: Clock
    allow_http: bool = False
    allow_private: bool = False
    seconds: float = 60.0
    context: ssl.SSLContext = field(factory=system_trust, repr=False)

    def platform(self, url: str, secret: str | None) -> AgentPlatform:
        """The URL in its one spelling, and the secret or a new one; Invalid for what will not do."""
        return AgentPlatform(
            self._posts.check(url), new_secret() if secret is None else checked_secret(secret)
        )

    def __call__(self, work: Work) -> Outcome:
        tenant = self.people.tenant(work.tenant_id)
        if tenant is None or tenant.agent is None:
            raise WorkFailed("its tenant has no agent platform: tickler tenant agent TENANT --url URL")
        try:
            url = self._posts.check(tenant.agent.url)
        except Invalid as problem:
            raise WorkFailed(f"its tenant's agent platform cannot be called: {problem}") from None
        match self._posts.post(url, tenant.agent.secret, work.key, _content(work)):
            case NotSent(reason) | NoAnswer(reason):
                raise WorkFailed(reason)
            case Answered() as answer:
                return _outcome(answer)

    @property
    def _posts(self) -> SignedPosts:
        longest = timedelta(seconds=self.seconds)
        return SignedPosts(self.clock, longest, longest, self.allow_http, self.allow_private, self.context)


def _content(work: Work) -> bytes:
    origin = work.origin
    said = {
        "touchId": str(work.touch_id),
        "tenantId": str(work.tenant_id),
        "kind": work.kind,
        "text": work.text,
        "dueAt": work.due_at.isoformat(),
        "round": work.round,
        "attempt": work.attempt,
        "depth": work.depth,
        "deadline": work.deadline.isoformat(),
        "origin": {
            "userId": str(origin.user_id),
            "channel": origin.channel,
            "contactPointId": None if origin.contact_point_id is None else str(origin.contact_point_id),
        },
    }
    return json.dumps(said, ensure_ascii=False, allow_nan=False).encode()


def _outcome(answer: Answered) -> Outcome:
    if answer.status == 204:
        return NothingToSay()
    if answer.status != 200:
        raise WorkFailed(f"its agent platform answered {answer.status}")
    if isinstance(answer.body, Unheard):
        raise WorkFailed(f"its agent platform answered {answer.status}, {answer.body}")
    if answer.is_packed:
        raise WorkFailed("its agent platform's answer is packed, though it was asked not to be")
    try:
        said = json.loads(answer.body, object_pairs_hook=_once, parse_constant=_no_number)
    except (ValueError, RecursionError):
        raise WorkFailed("its agent platform's answer is no JSON") from None
    match said:
        case {"answer": str(text)} if len(said) == 1:
            return Say(text)
        case {"againAt": str(at)} if len(said) == 1:
            return Again(_instant(at))
        case dict() if not said:
            return NothingToSay()
        case _:
            raise WorkFailed('its agent platform\'s answer is neither {"answer": …}, {"againAt": …} nor {}')


def _instant(text: str) -> datetime:
    try:
        at = datetime.fromisoformat(text)
        if at.tzinfo is None:
            raise ValueError
    except ValueError:
        raise WorkFailed("its agent platform's againAt is no instant such as 2027-03-31T07:00:00Z") from None
    return at


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key twice")
    return found


def _no_number(name: str) -> None:
    raise ValueError(name)
