# make demo   builds demo.db from samples/, asks it three questions and serves it
# make test   everything that CI checks
# make docs   writes the generated pages of docs/ anew
# make notebooks   runs the notebooks and keeps their outputs
#
# Both work on a machine that has python3 (3.10 or newer, with venv) and a package index, and nothing else. The newest
# Python found is taken; PYTHON=/path/to/python overrides that.

.PHONY: demo test docs notebooks clean

ENOUGH := import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))
NAMES := python3.14 python3.13 python3.12 python3.11 python3.10 python3 /usr/bin/python3
PYTHON ?= $(shell for name in $(NAMES); do $$name -c '$(ENOUGH)' 2> /dev/null && echo $$name && break; done)

BIN := .venv/bin
READY := .venv/installed

demo: $(READY)
	$(BIN)/memkit demo

test: $(READY)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/pytest -n 2 --dist loadfile

docs: $(READY)
	$(BIN)/python docs/generate.py

notebooks: $(READY)
	$(BIN)/python notebooks/run.py

clean:
	rm -rf .venv

$(READY): pyproject.toml
	@test -n "$(PYTHON)" || { echo "No python3 of 3.10 or newer with venv is here. Install one (Debian: apt install python3-venv)." >&2; exit 1; }
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade 'pip>=25.1'
	$(BIN)/python -m pip install --quiet --editable . --group dev
	touch $@
