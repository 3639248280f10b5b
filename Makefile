# headtrack: `make demo` shows it at work, `make test` runs every test; both need nothing but make,
# Python 3.11 to 3.13 and a Python package index.
#
#   make demo     build a clip whose truth is known, run the main job on it, compare
#   make test     the whole test suite               (make test ARGS="-m 'not heavy'" for a part)
#   make check    ruff, pyright, layers, doctest, generated docs up to date
#   make format   let ruff rewrite what it can
#   make venv     create .venv with the pinned set    (make venv PYTHON=/path/to/python3.12)
#   make docs     write the generated docs anew
#   make models   fetch the model files
#   make freeze   pin what .venv holds in constraints.txt
#   make clean    remove what was built; `make distclean` removes .venv too

SHELL := /bin/sh
.DEFAULT_GOAL := help
.SUFFIXES:
MAKEFLAGS += --no-builtin-rules

# A surrounding virtual environment must not leak into ours.
unexport VIRTUAL_ENV
unexport PYTHONHOME
export PIP_DISABLE_PIP_VERSION_CHECK := 1
export PIP_NO_INPUT := 1

VENV := .venv
PY := $(VENV)/bin/python
STAMP := $(VENV)/.installed
PYTHON ?=
ARGS ?=

# Each candidate is run, not only looked up: a pyenv shim may exist and still refuse to start.
SUITABLE := import sys, venv, ensurepip; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))

.PHONY: help demo test check lint types layers doctest docs-check docs format venv models freeze build \
	clean distclean

help:
	@sed -n 's/^#   //p' Makefile

venv: $(STAMP)

$(STAMP): pyproject.toml constraints.txt
	@if ! $(PY) -m pip --version >/dev/null 2>&1; then \
	  found=; \
	  for candidate in $(if $(PYTHON),"$(PYTHON)",python3.11 python3.12 python3.13 python3 python); do \
	    if "$$candidate" -c '$(SUITABLE)' >/dev/null 2>&1; then found="$$candidate"; break; fi; \
	  done; \
	  if [ -z "$$found" ]; then \
	    echo 'No usable Python $(if $(PYTHON),at PYTHON=$(PYTHON),on the PATH): 3.11, 3.12 or 3.13' \
	      'with its venv module is needed. Install one (on Debian or Ubuntu: apt install' \
	      'python3-venv) or name it: make PYTHON=/path/to/python3.12' >&2; \
	    exit 1; \
	  fi; \
	  echo "creating $(VENV) with $$("$$found" -c 'import sys; print(sys.executable, sys.version.split()[0])')"; \
	  rm -rf $(VENV) && "$$found" -m venv $(VENV); \
	fi
	$(PY) -m pip install -c constraints.txt -e '.[dev]'
	@touch $(STAMP)

models: $(STAMP)
	@$(VENV)/bin/headtrack models pull >/dev/null

demo: $(STAMP)
	@$(PY) jobs/demo.py $(ARGS)

test: models
	@$(PY) -m pytest $(ARGS)

check: lint types layers doctest docs-check

lint: $(STAMP)
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .

types: $(STAMP)
	$(PY) -m pyright

layers: $(STAMP)
	$(VENV)/bin/lint-imports

doctest: $(STAMP)
	$(PY) -m pytest -q --doctest-modules headtrack

docs-check: $(STAMP)
	$(PY) docs/generate.py --check

docs: $(STAMP)
	$(PY) docs/generate.py

format: $(STAMP)
	$(PY) -m ruff check --fix .
	$(PY) -m ruff format .

build: $(STAMP)
	$(PY) -m build --outdir dist

freeze: $(STAMP)
	@sed -n '/^#/p' constraints.txt > constraints.new
	@$(PY) -m pip freeze --exclude-editable --all \
	  | grep -viE '^(#|pip==|cuda-toolkit|nvidia-(cu|nccl|nvj|nvs|nvt))' | sort -f >> constraints.new
	@mv constraints.new constraints.txt && touch $(STAMP)

clean:
	rm -rf dist build demo .pytest_cache .ruff_cache .import_linter_cache .hypothesis
	find headtrack jobs tests benchmarks -name __pycache__ -type d -prune -exec rm -rf {} +

distclean: clean
	rm -rf $(VENV)
