# Two commands for a newcomer: `make demo` and `make test`. Both set up what they need in .venv.
PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV ?= .venv
CONSTRAINTS ?= constraints.txt
PROCESSES ?= 2
MINUTES ?= 20
SEED ?=
TESTS ?= tests
BIN := $(VENV)/bin
READY := $(VENV)/.ready
DEMO ?= demo/$(shell date +%Y%m%d-%H%M%S)
# Everything here runs offline once it is installed.
export HF_HUB_OFFLINE = 1
export TOKENIZERS_PARALLELISM = false

.PHONY: help demo test test-oldest test-newest test-trapping fuzz check release-check docs
.DEFAULT_GOAL := help

help:  ## Show what can be made.
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

$(READY): pyproject.toml $(CONSTRAINTS)
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --constraint $(CONSTRAINTS) --editable '.[dev]'
	@touch $@

demo: $(READY)  ## Set up, train on the embedded corpus, and write demo/…/report.html (1 to 2 minutes after installation).
	$(BIN)/protorel demo --out $(DEMO)

test: $(READY)  ## Set up and run the tests, on two processes of one thread each.
	PYTHONHASHSEED=0 OMP_NUM_THREADS=1 $(BIN)/pytest --numprocesses $(PROCESSES) --dist worksteal

test-oldest:  ## The same with the oldest versions that pyproject.toml declares, in .venv-oldest.
	$(MAKE) test VENV=.venv-oldest CONSTRAINTS=constraints-oldest.txt

test-newest:  ## The same with the newest releases, in a fresh .venv-newest; torch stays where constraints-newest.txt says.
	rm -rf .venv-newest
	$(MAKE) test VENV=.venv-newest CONSTRAINTS=constraints-newest.txt

test-trapping:  ## The same as on a processor that announces bf16 and dies of it.
	PYTHONPATH=$(CURDIR)/tests/faults/trapping_processor $(MAKE) test

fuzz: $(READY)  ## Draw new examples for the property tests: MINUTES=20 (0: until Ctrl-C), SEED=n replays a round, TESTS=tests.
	OMP_NUM_THREADS=1 $(BIN)/python tests/fuzz.py --minutes $(MINUTES) $(if $(SEED),--seed $(SEED)) $(TESTS)

check: $(READY)  ## Lint, formatting, types, and which room may import which.
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

docs: $(READY)  ## Build the site of the docs into site/; a warning or a link that leads nowhere is an error.
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

release-check: $(READY)  ## Build sdist and wheel into dist/, check them, and run the README's quickstart from the wheel alone.
	$(BIN)/pip install --quiet --constraint $(CONSTRAINTS) --editable '.[release]'
	rm -rf dist
	$(BIN)/python tests/release_check.py
