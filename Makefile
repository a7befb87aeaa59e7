# Every target makes the environment that it needs; nothing counts on an earlier run.
.DEFAULT_GOAL := help
SHELL := bash
.SHELLFLAGS := -euo pipefail -c

PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11; do \
  command -v $$p >/dev/null 2>&1 && $$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && { echo $$p; break; }; done)
RUN := .venv/bin
DEV := .venv-dev/bin
# The programs' names and tests' workers: pytest-xdist's own word for "one a core".
WORKERS ?= auto

.PHONY: help run test check format demo report bench prove kafka clean

help: ## what can be made
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | column -t -s "$$(printf '\t')"

run: $(RUN)/tickler ## start Tickler: Postgres, migrations, every loop; Ctrl-C ends it
	@exec $(RUN)/tickler run

demo: $(RUN)/tickler ## plan a few events that fall due within seconds and watch them leave
	@exec $(RUN)/tickler demo

test: $(DEV)/tickler ## every test, on a Postgres of its own
	$(DEV)/python -m pytest -n $(WORKERS) --dist worksteal -m "not prove"

report: $(DEV)/tickler ## the specification with its scenarios and what came of them, as one page: build/report/index.html
	$(DEV)/python -m tests.living_report --workers $(WORKERS)

check: $(DEV)/tickler ## style, types and the directions of imports
	$(DEV)/ruff check .
	$(DEV)/ruff format --check .
	$(DEV)/mypy
	$(DEV)/lint-imports

format: $(DEV)/tickler ## lay out and mend what ruff can, so that check gets to types and imports
	$(DEV)/ruff check --fix .
	$(DEV)/ruff format .

bench: $(DEV)/tickler ## dispatch against one pure-SQL statement, in one run; relay and consumer of a real Kafka against dispatch
	$(DEV)/python -m tests.benchmarks.dispatch
	$(DEV)/python -m tests.benchmarks.kafka

prove: $(DEV)/tickler ## the proofs that take minutes: plans beside a million reminders, a file of 10,000 events, the stores on PostgreSQL 15, kill -9 over Kafka, an audit of 100,000 reminders, alerts and panels over real minutes
	$(DEV)/python -m pytest -m prove

kafka: $(DEV)/tickler ## a real Apache Kafka to try `make run` with, on 127.0.0.1:9092; needs Java 17 and Maven; Ctrl-C ends it
	@exec $(DEV)/python -m tests.kafka

clean: ## remove what was made here (not the data)
	rm -rf .venv .venv-dev build *.egg-info

define environment
	@[ -n "$(PYTHON)" ] || { echo "Tickler needs Python 3.11 or newer on the PATH" >&2; exit 3; }
	@echo "making $(1) with $$($(PYTHON) --version)"
	@rm -rf $(1)
	@$(PYTHON) -m venv $(1) || { echo "'$(PYTHON) -m venv' failed (on Debian: apt-get install python3-venv)" >&2; rm -rf $(1); exit 3; }
	@$(1)/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes --only-binary :all: -r $(2)
	@$(1)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $(1)/bin/tickler
endef

$(RUN)/tickler: requirements.lock pyproject.toml
	$(call environment,.venv,requirements.lock)

$(DEV)/tickler: requirements-dev.lock pyproject.toml
	$(call environment,.venv-dev,requirements-dev.lock)
