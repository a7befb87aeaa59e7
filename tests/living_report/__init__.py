"""The living report: the last run of features/ as a page for product people (decision 0031)."""
