"""The interpreter's memory, tuned for a process that works in batches."""

import gc

YOUNG_OBJECTS = 100_000


def tune_collector() -> None:
    """Spare the cyclic collector what it cannot free; to be called once, when everything is wired.

    A batch makes many small objects and no cycles: counting references frees them all. With Python's
    defaults the collector walks over them, and over all that was imported, again and again, for a third of a
    cycle's time. It still runs, seldom enough not to be felt.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(YOUNG_OBJECTS, 20, 20)
