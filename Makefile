# Two commands matter: `make lab` sets all up and opens JupyterLab; `make test` sets all up and runs every check.
# Both may be run again at any time; what is done already is not done twice.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
MODEL ?= local/qwen2.5-coder-0.5b
ARGS ?=
export PATH := $(CURDIR)/$(BIN):$(PATH)
export PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD := 1

FRONT_SOURCES := $(shell find src style schema -type f 2>/dev/null) package.json tsconfig.json

.PHONY: lab install model test lint types jest pytest galata smoke system clean help

help:
	@echo "make lab    set up, fetch the model, open JupyterLab on the quickstart (ARGS= goes to jupyter lab)"
	@echo "make test   set up and run lint, types, jest, pytest and the browser tests"

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet "jupyterlab>=4.4,<5" "notebook>=7.4,<8"

node_modules/.installed: package.json yarn.lock .yarnrc.yml | $(VENV)/bin/python
	jlpm install --immutable
	@touch $@

themisto_lab/labextension/.built: $(FRONT_SOURCES) node_modules/.installed
	jlpm build:prod
	@touch $@

$(VENV)/.installed: pyproject.toml install.json themisto_lab/labextension/.built
	@# A link from an earlier run would let pip write its own files into the source tree.
	@rm -rf $(VENV)/share/jupyter/labextensions/themisto-lab themisto_lab/labextension/install.json
	$(BIN)/python -m pip install --quiet --editable ".[lab,bench,test]"
	jupyter labextension develop --overwrite .
	jupyter server extension enable themisto_lab --sys-prefix
	@touch $@

install: $(VENV)/.installed

model: install
	jupyter themisto model pull $(MODEL)

lab: install
	-jupyter themisto model pull $(MODEL)
	jupyter lab --ServerApp.root_dir=examples --LabApp.default_url=/lab/tree/quickstart.ipynb $(ARGS)

system:
	scripts/setup_system.sh

lint: install
	ruff check .
	ruff format --check .
	jlpm lint:check

types: install
	mypy
	jlpm check:types

jest: install
	jlpm test

pytest: install model
	pytest

ui-tests/node_modules/.installed: ui-tests/package.json ui-tests/yarn.lock | $(VENV)/.installed
	cd ui-tests && jlpm install --immutable
	@touch $@

galata: install model system ui-tests/node_modules/.installed
	cd ui-tests && jlpm test

smoke: install
	scripts/smoke.sh

test: system lint types jest pytest smoke galata

clean:
	rm -rf $(VENV) node_modules ui-tests/node_modules lib themisto_lab/labextension dist
