"""Write the dashboard's file anew: `python -m tests.watching.dashboard`."""

from tests.watching.dashboard.file import DASHBOARD, written

if __name__ == "__main__":
    DASHBOARD.write_text(written(), "utf-8")
