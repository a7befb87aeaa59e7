"""The promises of the Ledger port, executed."""

from adapters.testkit.ledger.claiming import ClaimingContract
from adapters.testkit.ledger.locking import LockingContract
from adapters.testkit.ledger.losing import LosingContract
from adapters.testkit.ledger.reading import ReadingContract
from adapters.testkit.ledger.recording import RecordingContract
from adapters.testkit.ledger.settling import SettlingContract


class LedgerContract(
    ReadingContract, RecordingContract, LosingContract, LockingContract, ClaimingContract, SettlingContract
):
    """Give a subclass the fixtures and the hooks of `Surroundings`, and it runs every promise."""
