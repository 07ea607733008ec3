# Every target says in one line what it does; `make` alone lists them.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

VENV ?= .venv
BIN := $(VENV)/bin
UV_VERSION := 0.13.8
# The first interpreter that answers with a supported version; `make PYTHON=/path/to/python venv` overrides.
PYTHON ?= $(shell for p in python3.11 python3.12 python3.13 python3; do \
	"$$p" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' 2>/dev/null && { echo "$$p"; break; }; done)
# The stamp's name holds a digest of what was installed: a changed lock or pyproject means a new stamp.
STAMP := $(VENV)/installed-$(shell cat requirements/dev.lock pyproject.toml | cksum | tr -d ' ')
# Compiled code is kept in the user's cache; this stamp only spares asking whether it is there.
WARM := $(VENV)/warm-$(shell cat src/siftmesh/kernels/*.py | cksum | tr -d ' ')
# Handed to uv by `make lock`; --upgrade moves every pin to its newest version.
UV_FLAGS ?=
CHECKED := $(wildcard src tests benchmarks examples experiments)

.PHONY: help venv warmup demo test check format lint types imports docs bench experiments soak lock wheel clean

help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/  make \1\t\2/' | expand -t 22

venv: $(STAMP) warmup ## create .venv with the locked dependencies and the project, editable
	@:

warmup: $(WARM) ## compile the kernels, about a minute after each change of one
	@:

$(WARM): $(STAMP)
	@echo "make warmup: compiling kernels"
	@$(BIN)/siftmesh warmup
	@rm -f $(VENV)/warm-* && touch $@

$(STAMP): requirements/dev.lock pyproject.toml
	@test -n "$(PYTHON)" || { echo "make venv: no Python 3.11, 3.12 or 3.13 found; say PYTHON=/path/to/python" >&2; exit 2; }
	@echo "make venv: installing requirements/dev.lock into $(VENV) with $$($(PYTHON) --version)"
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-input --require-hashes -r requirements/dev.lock
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-input --no-deps --no-build-isolation --editable .
	@rm -f $(VENV)/installed-* && touch $@

demo: venv ## show what Siftmesh does, on your own machine
	@$(BIN)/siftmesh demo

test: venv ## run the tests (all but soak, spark and postgres)
	@echo "make test: pytest, all but soak, spark and postgres"
	@$(BIN)/python -m pytest -q tests

check: format lint types imports test ## everything that must hold before a change is merged

format: $(STAMP) ## check the formatting
	@echo "make format: ruff format --check"
	@$(BIN)/ruff format --check --quiet $(CHECKED)

lint: $(STAMP) ## check the style
	@echo "make lint: ruff check"
	@$(BIN)/ruff check --quiet $(CHECKED)

types: $(STAMP) ## check the types
	@echo "make types: mypy --strict on src/siftmesh"
	@$(BIN)/mypy --no-error-summary

imports: $(STAMP) ## check that no layer imports a higher one
	@echo "make imports: lint-imports"
	@$(BIN)/lint-imports --no-logo --no-cache

docs: venv ## run the code of the README and the examples
	@echo "make docs: pytest tests/docs"
	@$(BIN)/python -m pytest -q tests/docs

bench: venv ## measure, and print each number as a ratio
	@$(BIN)/python -m benchmarks

experiments: venv ## repeat the papers' experiments
	@if compgen -G 'experiments/*/grid.py' >/dev/null; then ls -d experiments/*/; \
	else echo "make experiments: nothing here yet; no paper's experiment has been written."; fi

soak: venv ## run the long tests, about an hour; SOAK_SCALE=0.1 is a tenth, SEED=n repeats
	@seed=$${SEED:-$$((RANDOM * 32768 + RANDOM))}; scale=$${SOAK_SCALE:-1}; \
	echo "make soak: every property, and damaged filters by the million; repeat with make soak SEED=$$seed SOAK_SCALE=$$scale"; \
	HYPOTHESIS_PROFILE=soak SOAK_SCALE=$$scale $(BIN)/python -m pytest -q -m soak --timeout=3600 --hypothesis-seed=$$seed tests

lock: ## resolve the dependencies again and write requirements/*.lock
	@$(BIN)/python -m pip --version >/dev/null 2>&1 || $(PYTHON) -m venv $(VENV)
	@$(BIN)/uv --version 2>/dev/null | grep -qF "uv $(UV_VERSION)" || { echo "make lock: installing uv $(UV_VERSION) into $(VENV)"; \
	  $(BIN)/python -m pip install --quiet --disable-pip-version-check "uv==$(UV_VERSION)"; }
	@for lock in core dev; do \
	  echo "make lock: writing requirements/$$lock.lock"; \
	  $(BIN)/uv pip compile --quiet --universal --generate-hashes --python-version 3.11 --no-emit-index-url --no-annotate \
	    --custom-compile-command "make lock" $$([ $$lock = core ] || echo "--extra $$lock") \
	    $(UV_FLAGS) --output-file requirements/$$lock.lock pyproject.toml; \
	done

wheel: $(STAMP) ## build the wheel into dist/
	@echo "make wheel: building into dist/"
	@$(BIN)/python -m build --wheel --no-isolation --outdir dist . >/dev/null && ls dist/*.whl

clean: ## remove what was built or cached, but keep .venv
	@echo "make clean: removing build products and caches"
	@rm -rf dist build .pytest_cache .mypy_cache .ruff_cache .hypothesis
	@find src tests benchmarks examples -name __pycache__ -type d -prune -exec rm -rf {} + 2>/dev/null || true
