# Everything below needs Python 3.11 or newer, git and make; the rest it sets up itself.
VENV ?= .venv
PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11 python; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check
# A package index can hiccup; one more try often helps and costs nothing.
comma := ,
# In containers people are root, and JupyterLab wants to be told.
AS_ROOT := $(if $(filter 0,$(shell id -u)),--allow-root)
twice = $(1) || { echo "trying once more"; sleep 10; $(1); }
STUDENT := $(VENV)/.student
DEVELOPER := $(VENV)/.developer

.PHONY: help lab test labs doctor bench clean

help:
	@echo "make lab     set everything up and open JupyterLab on course/00_start.ipynb"
	@echo "make test    set everything up and run all tests"
	@echo "make labs    write labs/ anew from solutions/"
	@echo "make doctor  prove that every exercise marks as it says"
	@echo "make bench   print speed beside bare NumPy and stock tools"

lab: $(STUDENT)
	$(BIN)/autograder start
	$(BIN)/jupyter lab $(AS_ROOT) --notebook-dir=. course/00_start.ipynb

test: $(DEVELOPER)
	$(BIN)/python -m pytest -n auto

labs: $(DEVELOPER)
	$(BIN)/autograder labs

doctor: $(STUDENT)
	$(BIN)/autograder doctor

bench: $(DEVELOPER)
	$(BIN)/python -m tests.bench

$(VENV):
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed and was not found; set PYTHON=/path/to/python3"; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(STUDENT): pyproject.toml constraints.txt | $(VENV)
	$(call twice,$(PIP) install --quiet --constraint constraints.txt --editable .)
	@mkdir -p $(VENV)/share/jupyter/lab/settings
	@echo '{"@jupyterlab/apputils-extension:notification": {"fetchNews": "false", "checkForUpdates": false}}' > $(VENV)/share/jupyter/lab/settings/overrides.json
	@touch $@

$(DEVELOPER): pyproject.toml constraints.txt | $(STUDENT)
	$(call twice,$(PIP) install --quiet --constraint constraints.txt --editable '.[grading$(comma)test]')
	@touch $@

clean:
	rm -rf $(VENV)
