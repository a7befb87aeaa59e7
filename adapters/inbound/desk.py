"""The use cases of deferred touches, as agents and platforms are served with them over any wire."""

from attrs import frozen

from application.ports.machine import Clock
from application.ports.touches import Touches
from application.touching.access import Access
from application.touching.asking import Asking
from application.touching.deferring import Deferring
from application.touching.planning import Planning


@frozen
class Desk:
    access: Access
    asking: Asking
    deferring: Deferring
    planning: Planning
    touches: Touches
    clock: Clock
