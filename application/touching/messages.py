"""The kind `message`: what is to be said is known already, and only its time was awaited."""

from application.ports.work import Outcome, Say, Work, WorkFailed


def message(work: Work) -> Outcome:
    """The touch's own text, word for word. Of who was erased no touch comes to be worked on."""
    if work.text is None:
        raise WorkFailed("its text is gone, so that what was promised cannot be said")
    return Say(work.text)
