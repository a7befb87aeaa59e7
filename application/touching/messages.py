"""The kind `message`: what is to be said is known already, and only its time was awaited."""

from application.ports.work import NothingToSay, Outcome, Say, Work


def message(work: Work) -> Outcome:
    """The touch's own text, word for word; nothing where it was erased meanwhile."""
    return NothingToSay() if work.text is None else Say(work.text)
