"""Panels of the shapes that come again, and how a gauge and a counter are asked for.

Each process shows what the store holds, so gauges are taken as their maximum and counters as their sum.
"""

from tests.watching.dashboard.panels import Panel, Query, Unit


def most(metric: str, by: str = "job") -> str:
    return f'max by ({by}) ({metric}{{job=~"$job"}})'


def since(metric: str, by: str = "job") -> str:
    return f"time() - {most(metric, by)}"


def rate(metric: str, by: str = "job") -> str:
    return f'sum by ({by}) (rate({metric}{{job=~"$job"}}[$__rate_interval]))'


def quantiles(title: str, what: str, metric: str, by: str = "", limit: float | None = None) -> Panel:
    """How long it took half of them, and 99 of 100."""
    labels, legend = (f"le, {by}", f" {{{{{by}}}}}") if by else ("le", "")
    buckets = rate(f"{metric}_bucket", labels)
    queries = [
        Query(f"histogram_quantile({share}, {buckets})", f"{name}{legend}")
        for share, name in ((0.5, "half within"), (0.99, "99 of 100 within"))
    ]
    return Panel(title, what, Unit.SECONDS, queries, limit=limit)


def oldest(title: str, what: str, metric: str, limit: float, by: str = "", width: int = 8) -> Panel:
    """The age of what has waited the longest."""
    asked, legend = (most(metric, by), f"{{{{{by}}}}}") if by else (most(metric), "oldest")
    return Panel(title, what, Unit.SECONDS, [Query(asked, legend)], width=width, limit=limit)


def rates(title: str, what: str, metric: str, by: str, width: int = 8, is_stacked: bool = False) -> Panel:
    """How many a second, by a label."""
    queries = [Query(rate(metric, by), f"{{{{{by}}}}}")]
    return Panel(title, what, Unit.PER_SECOND, queries, width=width, is_stacked=is_stacked)


def counts(title: str, what: str, metric: str, by: str, width: int = 8, limit: float | None = None) -> Panel:
    """How many there are, by a label."""
    queries = [Query(most(metric, by), f"{{{{{by}}}}}")]
    return Panel(title, what, Unit.COUNT, queries, width=width, limit=limit)
