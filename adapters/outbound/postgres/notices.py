"""What operators are told of, in PostgreSQL: kept in the transaction that records it."""

from adapters.outbound.postgres.session import Session
from application.ports.notices import Matter, MatterKind, Matters, Notice
from domain.values import NoticeId

KEEP = (
    "insert into tickler.notice_matters (notice_id, kind, id, event_id) values (%s, %s, %s, %s)"
    " on conflict do nothing"
)
COUNT = "select count(*) from tickler.notice_matters where notice_id = %s"
FIRST = (
    "select kind, id, event_id from tickler.notice_matters where notice_id = %s"
    ' order by kind collate "C", id limit %s'
)


def keep_matter(session: Session, notice: Notice) -> None:
    """The matter alone; its notice's deliveries are kept with the other deliveries."""
    matter = notice.matter
    session.change(KEEP, (notice.id, matter.kind.value, matter.id, matter.event_id))


def read_matters(session: Session, notice_id: NoticeId, limit: int) -> Matters:
    counted = session.row(COUNT, (notice_id,))
    assert counted is not None
    rows = session.rows(FIRST, (notice_id, limit))
    return Matters(counted[0], [Matter(MatterKind(kind), id_, event_id) for kind, id_, event_id in rows])
