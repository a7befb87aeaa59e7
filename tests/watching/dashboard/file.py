"""The dashboard as the file that Grafana is given."""

import json

from tests.specification import ROOT
from tests.watching.dashboard.overview import OVERVIEW

DASHBOARD = ROOT / "docs/observability/calendar-overview.json"


def written() -> str:
    return json.dumps(OVERVIEW.json(), indent=2, ensure_ascii=False) + "\n"
