"""The promises of the Deliveries port, executed."""

from adapters.testkit.deliveries.claiming import ClaimingContract
from adapters.testkit.deliveries.noticing import NoticingContract
from adapters.testkit.deliveries.receiving import ReceivingContract
from adapters.testkit.deliveries.settling import SettlingContract
from adapters.testkit.deliveries.waiting import WaitingContract


class DeliveriesContract(
    ReceivingContract, ClaimingContract, WaitingContract, SettlingContract, NoticingContract
):
    """Give a subclass the fixture `deliveries`: each test has a store of its own, without any rows."""
