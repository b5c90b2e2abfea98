# make demo   builds demo.db from samples/, asks it three questions and serves it
# make test   the style, the types and the tests but the slow ones; make test SLOW=1 runs these, too, as CI does, and
#             make test FILE=tests/test_recall.py one file
# make test-pythons   the quick part of the tests on each supported Python that is here
# make test-hosts   the tests of Datasette and sqlite-utils themselves, with memkit installed and without
# make fuzz   tries hostile input for a minute, or make fuzz SECONDS=3600
# make docs   writes the generated pages of docs/ anew
# make notebooks   runs the notebooks and keeps their outputs
#
# Both work on a machine that has python3 (3.10 or newer, with venv) and a package index, and nothing else. The newest
# Python found is taken; PYTHON=/path/to/python overrides that.

.PHONY: demo test test-datasette1 test-pythons test-hosts fuzz docs notebooks clean environments python

ENOUGH := import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))
NAMES := python3.14 python3.13 python3.12 python3.11 python3.10 python3 /usr/bin/python3
PYTHON ?= $(shell for name in $(NAMES); do $$name -c '$(ENOUGH)' 2> /dev/null && echo $$name && break; done)

# A file's tests stay on one worker, which shares what they need; the files with slow ones begin first (tests/conftest.py).
PYTEST := pytest -n 2 --dist loadfile --no-loadscope-reorder $(if $(SLOW),,-m 'not slow')

# The tests start many processes: each would compile memkit anew.
unexport PYTHONDONTWRITEBYTECODE

BIN := .venv/bin
READY := .venv/installed
BIN1 := .venv-datasette1/bin
READY1 := .venv-datasette1/installed

demo: $(READY)
	$(BIN)/memkit demo

ifeq ($(origin FILE), command line)
test: $(READY)
	$(BIN)/pytest $(FILE)
else
test: $(READY) $(READY1)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/mypy tests/typing_api.py
	$(MAKE) test-datasette1
	$(BIN)/$(PYTEST)
endif

# Datasette's plugin once more, on the newest 1.0 there is.
test-datasette1: $(READY1)
	$(BIN1)/$(PYTEST) tests/test_sql_functions.py tests/test_datasette_*.py

# Python 3.10 to 3.13; without what is slow, and without browser and kernel.
test-pythons:
	.ci/pythons

# What memkit is installed beside must not notice it. HOSTS="llm=../llm" names a host with its source (tests/hosts.py).
HOSTS ?= datasette sqlite-utils
test-hosts: $(READY)
	$(BIN)/python tests/hosts.py $(HOSTS)

# Hostile input for every door; what is found lies in fuzz-findings/ (tests/fuzz/__init__.py says more).
SECONDS ?= 60
fuzz: $(READY)
	PYTHONPATH=tests $(BIN)/python -m fuzz --seconds $(SECONDS)

docs: $(READY)
	$(BIN)/python docs/generate.py
	$(BIN)/python docs/draw_rooms.py

notebooks: $(READY)
	$(BIN)/python notebooks/run.py

clean:
	rm -rf .venv .venv-datasette1 .venv-python*

# Both at once with `make -j2 environments`.
environments: $(READY) $(READY1)

python:
	@test -n "$(PYTHON)" || { echo "No python3 of 3.10 or newer with venv is here. Install one (Debian: apt install python3-venv)." >&2; exit 1; }

$(READY): pyproject.toml | python
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade 'pip>=25.1'
	$(BIN)/python -m pip install --quiet --editable . --group dev
	touch $@

$(READY1): pyproject.toml | python
	test -x $(BIN1)/python || $(PYTHON) -m venv .venv-datasette1
	$(BIN1)/python -m pip install --quiet --upgrade 'pip>=25.1'
	$(BIN1)/python -m pip install --quiet --editable . --group test 'datasette>=1.0a41' datasette-agent datasette-mcp
	touch $@
