# Two commands for a newcomer: `make demo` and `make test`. Both set up what they need in .venv.
PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV ?= .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
DEMO ?= demo/$(shell date +%Y%m%d-%H%M%S)
# Everything here runs offline once it is installed.
export HF_HUB_OFFLINE = 1
export TOKENIZERS_PARALLELISM = false

.PHONY: help demo test check
.DEFAULT_GOAL := help

help:  ## Show what can be made.
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

$(READY): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --constraint constraints.txt --editable '.[dev]'
	@touch $@

demo: $(READY)  ## Set up, train on the embedded corpus, and write demo/…/report.html (about 5 minutes).
	$(BIN)/protorel demo --out $(DEMO)

test: $(READY)  ## Set up and run the tests, on two processes of one thread each.
	OMP_NUM_THREADS=1 $(BIN)/pytest --numprocesses 2

check: $(READY)  ## Lint, formatting, types, and which room may import which.
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
