# make chat   talk to the weather model        make test   run all checks
# make lint   run ruff and mypy only           make bench  write a report of all benchmarks
# make cover  run the tests with coverage      make bench-short  check that the benchmarks run
# make quick  run lint and the quick tests     make lock   update the pinned versions in locks/
# make thorough   run the tests that take long, too
# make docs   build the site of the documentation    make docs-serve  serve it while you write
# make audit  look for known vulnerabilities of the pinned versions    make sbom  list them (CycloneDX)
# make agent URL=http://localhost:8080/v1   talk to a language model with a memory of its own
# The first use creates a virtual environment in .venv; PYTHON=… selects another interpreter,
# VENV=… another folder. The checks run with the versions pinned in locks/.

PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11; do \
	$$p -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' 2>/dev/null \
	&& echo $$p && break; done)
VENV ?= .venv
BIN := $(VENV)/bin
MODEL ?= weather
AGENT ?= assistant

# PyTorch takes gigabytes if pip picks a CUDA build; `make quick` and `make lint` do not need it.
WITHOUT_TORCH ?=
DEV := $(VENV)/installed-dev$(if $(WITHOUT_TORCH),-without-torch)

# Whoever has turned it off would compile each module again in each of the processes that tests start.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: chat agent test thorough quick lint cover bench bench-short docs docs-serve lock audit sbom \
	clean

chat: $(VENV)/installed
	@$(BIN)/anaphora chat $(MODEL) --cache $(VENV)/cache

agent: $(VENV)/installed
	@$(BIN)/anaphora agent $(AGENT) --url $(URL) --memory sqlite:///$(VENV)/agent.db

test: lint
	$(BIN)/python -m pytest -n auto --dist worksteal

# What `make test` leaves out, and property tests with five times the examples.
thorough: $(DEV)
	$(BIN)/python -m pytest -n auto --dist worksteal --hypothesis-profile=thorough -m "thorough or not thorough"

# Fast tests of all layers that need no server, browser or PyTorch.
QUICK := tests/agents/files tests/agents/functions tests/agents/memories tests/agents/scenes \
	tests/bots tests/engine tests/grammar tests/intents tests/models tests/stm/records \
	tests/test_dialogs.py tests/test_frozen.py \
	tests/entities/builtin/dates tests/entities/builtin/numbers \
	tests/entities/builtin/patterns tests/entities/builtin/references \
	tests/ltm/memory tests/ltm/prompt/test_prompt.py \
	tests/ltm/retrieval/test_search.py tests/ltm/retrieval/test_vector_cache.py \
	tests/ltm/retrieval/sqlite/test_store.py tests/stm/stores/sqlite/test_store.py \
	tests/server/routes/test_ask.py \
	--ignore=tests/engine/models/test_cached_models.py \
	--ignore=tests/engine/samples/test_runner.py \
	--ignore=tests/engine/test_forks.py \
	--ignore=tests/entities/builtin/numbers/test_number_and_money.py \
	--ignore=tests/intents/test_reading_rank.py

quick: lint
	$(BIN)/python -m pytest -n auto --dist worksteal $(QUICK)

cover: $(DEV)
	$(BIN)/python -m pytest --cov --cov-report=term

lint: $(DEV)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy --num-workers auto

# For `make bench`: the file with LoCoMo's dialogs and the folder with the Schema-Guided Dialogue
# data, which some benchmarks need.
LOCOMO ?=
SGD ?=

bench: $(DEV)
	$(BIN)/python -m benchmarks.report $(if $(LOCOMO),--locomo '$(LOCOMO)') \
		$(if $(SGD),--sgd '$(SGD)')

bench-short: $(DEV)
	$(BIN)/python -m benchmarks.report --short

# Without an advertisement for another generator in each build.
docs docs-serve: export NO_MKDOCS_2_WARNING = 1

# Not --quiet: it hides the warnings, which --strict would then not count.
docs: $(VENV)/installed-docs
	@$(BIN)/mkdocs build --strict
	@echo "The site is in build/site: open build/site/index.html"

docs-serve: $(VENV)/installed-docs
	$(BIN)/mkdocs serve

LOCKED := 3.11 3.12 3.13
INSTALL_UV := $(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade 'uv>=0.13'

lock: | $(VENV)/bin/python
	@$(INSTALL_UV)
	$(foreach version,$(LOCKED),$(BIN)/uv pip compile --quiet --upgrade \
		--config-file locks/uv.toml --python-version $(version) \
		--output-file locks/python$(version).txt pyproject.toml &&) true

# Strict: a library of which the database knows nothing is an error, not a library without fault.
audit: | $(VENV)/bin/python
	@$(INSTALL_UV)
	$(foreach version,$(LOCKED),$(BIN)/uv tool run pip-audit --strict --disable-pip \
		--progress-spinner off --requirement locks/python$(version).txt &&) true

sbom: | $(VENV)/bin/python
	@$(INSTALL_UV)
	@mkdir -p build/sbom
	$(foreach version,$(LOCKED),$(BIN)/uv tool run --from cyclonedx-bom cyclonedx-py requirements \
		--pyproject pyproject.toml --output-reproducible \
		--output-file build/sbom/python$(version).cdx.json locks/python$(version).txt &&) true

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

# The releases of the locks; uv checks their hashes as well.
$(VENV)/installed-docs: pyproject.toml $(wildcard locks/*.txt) | $(VENV)/bin/python
	@echo "Setting up $(VENV) for the site …"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check 'uv>=0.13'
	@version=$$($(BIN)/python -c 'import sys; print("%d.%d" % sys.version_info[:2])') && \
	$(BIN)/uv pip install --quiet --python $(BIN)/python \
		--constraints "locks/python$$version.txt" --extra docs --requirements pyproject.toml
	@touch $@

$(DEV): pyproject.toml $(wildcard locks/*.txt) | $(VENV)/bin/python
	@echo "Setting up $(VENV) for the checks (a few minutes on a first run) …"
	@version=$$($(BIN)/python -c 'import sys; print("%d.%d" % sys.version_info[:2])') && \
	$(BIN)/python -m pip install --quiet --disable-pip-version-check \
		--no-deps --require-hashes --requirement "locks/python$$version.txt"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check \
		--no-build-isolation $(if $(WITHOUT_TORCH),--no-deps) --editable '.[dev]'
	@touch $@ $(VENV)/installed $(VENV)/installed-docs
