"""The promises of the Touches port, executed."""

from adapters.testkit.touches.answering import AnsweringContract
from adapters.testkit.touches.claiming import ClaimingContract
from adapters.testkit.touches.erasing import ErasingContract
from adapters.testkit.touches.planning import PlanningContract
from adapters.testkit.touches.registering import RegisteringContract


class TouchesContract(
    RegisteringContract, ClaimingContract, AnsweringContract, PlanningContract, ErasingContract
):
    """Give a subclass the fixtures `touches`, `deliveries` and `people`, of one store without any rows."""
