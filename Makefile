# make chat   talk to the weather model        make test   all checks
# make lint   ruff and mypy alone              make bench  a report of all benchmarks
# make cover  the tests with their coverage    make bench-short  whether they run
# A virtual environment in .venv is made on first use; PYTHON=… chooses another interpreter.

PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11; do \
	$$p -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' 2>/dev/null \
	&& echo $$p && break; done)
VENV ?= .venv
BIN := $(VENV)/bin
MODEL ?= weather

.PHONY: chat test lint cover bench bench-short clean

chat: $(VENV)/installed
	@$(BIN)/anaphora chat $(MODEL) --cache $(VENV)/cache

test: lint
	$(BIN)/python -m pytest -n auto --dist worksteal

cover: $(VENV)/installed-dev
	$(BIN)/python -m pytest --cov --cov-report=term

lint: $(VENV)/installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# For `make bench`: a file with LoCoMo's dialogs, for the benchmarks that need them.
LOCOMO ?=

bench: $(VENV)/installed-dev
	$(BIN)/python -m benchmarks.report $(if $(LOCOMO),--locomo '$(LOCOMO)')

bench-short: $(VENV)/installed-dev
	$(BIN)/python -m benchmarks.report --short

clean:
	rm -rf $(VENV) build dist *.egg-info .coverage .mypy_cache .pytest_cache .ruff_cache

$(VENV)/bin/python:
	@test -n "$(PYTHON)" || { \
		echo "Anaphora needs Python 3.11, 3.12 or 3.13; name one with: make PYTHON=/path/to/python"; \
		exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/installed: pyproject.toml | $(VENV)/bin/python
	@echo "Setting up $(VENV) (a minute on a first run) …"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[places]'
	@touch $@

$(VENV)/installed-dev: pyproject.toml | $(VENV)/bin/python
	@echo "Setting up $(VENV) with what the checks need (a minute on a first run) …"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@ $(VENV)/installed
