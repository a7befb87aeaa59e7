"""Zones as programs write them into iCalendar files: by IANA name, a vendor's, Microsoft's, or not at all."""

from datetime import UTC, datetime, timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo

from attrs import frozen

HOME = "Europe/Moscow"

_CUSTOM = "Customized Time Zone 7"
RULES_OF_THE_FILE = [
    "BEGIN:VTIMEZONE",
    f"TZID:{_CUSTOM}",
    "BEGIN:STANDARD",
    "DTSTART:16010101T000000",
    "TZOFFSETFROM:+0530",
    "TZOFFSETTO:+0530",
    "END:STANDARD",
    "END:VTIMEZONE",
]


@frozen
class WrittenZone:
    """`parameter` follows the name of a property, `suffix` its value."""

    rules: tzinfo
    parameter: str = ""
    suffix: str = ""

    def written(self, name: str, at: datetime) -> str:
        """A property with this instant."""
        return self.wall(name, self.local(at))

    def wall(self, name: str, local: datetime) -> str:
        """A property with this wall time."""
        return f"{name}{self.parameter}:{local:%Y%m%dT%H%M%S}{self.suffix}"

    def local(self, at: datetime) -> datetime:
        return at.astimezone(self.rules).replace(tzinfo=None, fold=0)

    def instant(self, local: datetime) -> datetime:
        return local.replace(tzinfo=self.rules).astimezone(UTC)

    def says(self, at: datetime) -> bool:
        """Whether the wall time at this instant means it: not so in the second of two equal hours."""
        return self.instant(self.local(at)) == at


IN_UTC = WrittenZone(UTC, suffix="Z")
NAMED = (
    WrittenZone(ZoneInfo("Europe/Berlin"), ";TZID=Europe/Berlin"),
    WrittenZone(ZoneInfo("America/New_York"), ";TZID=America/New_York"),
    WrittenZone(ZoneInfo("Asia/Tokyo"), ";TZID=/vendor.example/20260101/Asia/Tokyo"),
    WrittenZone(ZoneInfo("Europe/Moscow"), ";TZID=Russian Standard Time"),
    WrittenZone(ZoneInfo("Europe/Paris"), ';TZID="Romance Standard Time"'),
    WrittenZone(ZoneInfo(HOME)),
    IN_UTC,
)
OF_THE_FILE = WrittenZone(timezone(timedelta(hours=5, minutes=30)), f";TZID={_CUSTOM}")
