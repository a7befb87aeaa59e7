"""Which calendar a file is, and how an event of it is known again when its UID is another one.

All are digests: names of calendars are often addresses, and titles are nobody's business here.
"""

from collections.abc import Iterable
from uuid import UUID, uuid5

from attrs import frozen

from adapters.inbound.ics.options import ImportOptions
from adapters.inbound.ics.source import BadProperty, Block
from application.calendar import Draft

_NAMESPACE = UUID("3b8e7d52-94a6-5d0e-8a27-6f1c0e9d4b85")


@frozen
class Origin:
    """`key` stands for one calendar of one owner.

    `is_named`: by the caller or by the file itself, not merely by the file's name on disk. `is_whole`: the
    file is all of the calendar, so that what is not in it is no more. One with a METHOD other than PUBLISH is
    a message about some events (RFC 5546 section 1.4).
    """

    key: UUID
    is_named: bool
    is_whole: bool


def origin_of(calendars: Iterable[Block], file_name: str, options: ImportOptions) -> Origin:
    """The calendar by `--calendar`, else by X-WR-CALNAME or NAME (RFC 7986), else by the file's name."""
    blocks = list(calendars)
    names = (_text(block, name) for block in blocks for name in ("X-WR-CALNAME", "NAME"))
    stated = options.calendar or next((name for name in names if name), "")
    methods = {_text(block, "METHOD").upper() for block in blocks}
    named = f"name\n{stated}" if stated else f"file\n{file_name}"
    key = uuid5(_NAMESPACE, f"calendar\n{options.tenant_id}\n{options.owner_user_id}\n{named}")
    return Origin(key, bool(stated), methods <= {"", "PUBLISH"})


def uid_digest(options: ImportOptions, uid: str) -> UUID:
    return uuid5(_NAMESPACE, f"uid\n{options.tenant_id}\n{options.owner_user_id}\n{uid}")


def fingerprint(draft: Draft) -> UUID:
    """Equal for events of one owner with the same start, end and title (R44)."""
    end = draft.timing.end_at.isoformat() if draft.timing.end_at else ""
    when = f"{draft.timing.start_at.isoformat()}\n{end}"
    whose = f"{draft.tenant_id}\n{draft.owner_user_id}"
    return uuid5(_NAMESPACE, f"event\n{whose}\n{when}\n{draft.title or ''}")


def _text(block: Block, name: str) -> str:
    try:
        stated = block.one(name)
    except BadProperty:
        return ""
    return stated.value.strip() if stated is not None else ""
