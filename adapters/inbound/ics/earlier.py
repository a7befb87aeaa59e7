"""What was read from a calendar before, held against what is read now."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from uuid import UUID, uuid5

from attrs import define, evolve, field, frozen

from adapters.inbound.ics.asked import Reading, Single
from adapters.inbound.ics.drafts import Wanted
from adapters.inbound.ics.origin import fingerprint, uid_digest
from application.ports.imports import Ended, Imported, Imports, Revision
from domain.values import EventId

_LOOK_UP = 5_000


@frozen
class Taking:
    """The event that is to stand for something in the file, and what is then known of it."""

    event_id: EventId
    revisions: tuple[Revision, ...]


@define
class Lost:
    """What came out of this calendar before under UIDs that the file has not, and was not known again yet."""

    rows: dict[EventId, Imported] = field(factory=dict)
    _alike: dict[UUID, list[EventId]] = field(factory=lambda: defaultdict(list))
    _standing: dict[EventId, list[EventId]] = field(factory=lambda: defaultdict(list))

    def add(self, row: Imported) -> None:
        self.rows[row.source] = row
        self._alike[row.fingerprint].append(row.source)
        self._standing[row.event_id].append(row.source)

    def like(self, wanted: Wanted) -> Imported | None:
        """One that is equal to this in start, end and title."""
        if not self.rows:
            return None
        print_ = fingerprint(wanted.draft)
        found = (self.rows.get(source) for source in reversed(self._alike.get(print_, ())))
        return next((row for row in found if row is not None and row.fingerprint == print_), None)

    def standing_for(self, event_id: EventId) -> list[Imported]:
        """Those whose event this is."""
        found = (self.rows.get(source) for source in dict.fromkeys(self._standing.get(event_id, ())))
        return [row for row in found if row is not None and row.event_id == event_id]

    def drop(self, sources: Iterable[EventId]) -> None:
        for source in sources:
            self.rows.pop(source, None)


@define
class Earlier:
    """`known` is by source, the id that follows from the file."""

    imports: Imports
    reading: Reading
    known: dict[EventId, Imported]
    _uids: dict[str, UUID] = field(factory=dict)
    _digests: frozenset[UUID] = frozenset()
    _lost: Lost = field(factory=Lost)
    _taken: set[EventId] = field(factory=set)
    _has_overlap: bool = False

    @classmethod
    def of(cls, imports: Imports, reading: Reading) -> "Earlier":
        earlier = cls(imports, reading, dict(imports.of_calendar(reading.origin.key)))
        asked = [earlier._uid(uid) for uid in reading.uids]
        for first in range(0, len(asked), _LOOK_UP):
            earlier.known.update(imports.of_uids(asked[first : first + _LOOK_UP]))
        earlier._digests = frozenset(asked)
        earlier._has_overlap = any(
            earlier._is_alive_here(one) and one.uid in earlier._digests for one in earlier.known.values()
        )
        earlier._note_lost(earlier.known.values())
        return earlier

    def event_id(self, source: EventId) -> EventId:
        """The event that stands for what the file calls so."""
        found = self.known.get(source)
        return found.event_id if found is not None else source

    def is_older(self, source: EventId, sequence: int | None) -> bool:
        """Whether a later SEQUENCE was taken before; a file that states none says nothing about it."""
        found = self.known.get(source)
        return found is not None and sequence is not None and sequence < found.sequence

    def taking(self, wanted: Wanted) -> Taking:
        """The event of what is taken: where the UID is new, one that lost its own and is equal otherwise.

        A cancelled event stays so; what an import ended and the calendar has again is another event.
        """
        before = self.known.get(wanted.event_id)
        if before is None:
            former = self._lost.like(wanted)
            event_id = wanted.event_id if former is None else former.event_id
        else:
            event_id = _again(before.event_id) if _comes_back(before, wanted.sequence) else before.event_id
        after = Imported(
            source=wanted.event_id,
            event_id=event_id,
            calendar=self.reading.origin.key,
            uid=self._uid(wanted.raw_uid),
            sequence=max(wanted.sequence or 0, before.sequence if before else 0),
            fingerprint=fingerprint(wanted.draft),
            ended=before.ended if before and before.event_id == event_id else Ended.NOT,
        )
        forgotten = (Revision(row.source, row, None) for row in self._lost.standing_for(event_id))
        return Taking(event_id, (Revision(wanted.event_id, before, after), *forgotten))

    def took(self, taking: Taking) -> None:
        """It was taken, and what follows from that is kept."""
        self._taken.add(taking.event_id)
        taken, *forgotten = taking.revisions
        if taken.after is not None:
            self.known[taken.source] = taken.after
        for one in forgotten:
            self._has_overlap = True
            self.known.pop(one.source, None)
        self._lost.drop(one.source for one in forgotten)

    def refused(self, wanted: Wanted) -> None:
        """It was not taken; all the same the file has it: its event is not gone."""
        self._lost.drop(one.source for one in self.taking(wanted).revisions)

    def look_again(self, taking: Taking) -> None:
        """Another import came first: know what it made of this."""
        sources = [one.source for one in taking.revisions]
        self._lost.drop(sources)
        for source in sources:
            self.known.pop(source, None)
        found = self.imports.of_sources(sources)
        self.known.update(found)
        self._note_lost(found.values())

    def has_taken(self, event_id: EventId) -> bool:
        """Whether the event stands for something in the file, so that nothing else of it may end it."""
        return event_id in self._taken

    def ending(self, source: EventId, how: Ended, sequence: int | None = None) -> Sequence[Revision]:
        """What is known once its event was ended by this import."""
        before = self.known.get(source)
        if before is None:
            return ()
        after = evolve(before, ended=how, sequence=max(before.sequence, sequence or 0))
        return (Revision(source, before, after),)

    def missing(self) -> Sequence[Imported]:
        """What came out of this calendar before and was recognised nowhere now."""
        return list(self._lost.rows.values())

    def left_of_series(self) -> Sequence[tuple[Imported, Single]]:
        """What came of UIDs that were series before and are single events now, beside these."""
        singles = {self._uid(uid): single for uid, single in self.reading.singles.items()}
        reading = self.reading
        alive = {one.event_id for one in (*reading.take, *reading.elsewhere)} | reading.cancelled.keys()
        return [
            (row, singles[row.uid])
            for row in self.known.values()
            if row.uid in singles and row.source not in alive and row.ended is Ended.NOT
        ]

    def has_overlap(self) -> bool:
        """Whether anything of the file was in this calendar before."""
        return self._has_overlap

    def lost_like(self, wanted: Wanted) -> bool:
        """Whether an event that lost its UID is equal to this one."""
        return self._lost.like(wanted) is not None

    def _is_alive_here(self, row: Imported) -> bool:
        """Of this calendar; nothing is, for a file that is a mere message."""
        whole = self.reading.origin.is_whole
        return whole and row.calendar == self.reading.origin.key and row.ended is Ended.NOT

    def _note_lost(self, rows: Collection[Imported]) -> None:
        for row in rows:
            if self._is_alive_here(row) and row.uid not in self._digests:
                self._lost.add(row)

    def _uid(self, uid: str) -> UUID:
        found = self._uids.get(uid)
        if found is None:
            found = self._uids[uid] = uid_digest(self.reading.options, uid)
        return found


def _comes_back(found: Imported, sequence: int | None) -> bool:
    if found.ended is Ended.CALLED_OFF:
        return sequence is not None and sequence > found.sequence
    return found.ended is Ended.MISSING


def _again(event_id: EventId) -> EventId:
    return EventId(uuid5(event_id, "again"))
