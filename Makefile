# Everything below needs Python 3.11 or newer, git and make; the rest it sets up itself.
VENV ?= .venv
# Of the interpreters on the path the first that was built with optimisation, as a distribution's is; pyenv's is not
# unless told so, and takes a quarter longer for everything. Where there is none, the first that fits at all.
PYTHON ?= $(shell IFS=:; for need in optimised any; do \
	for p in python3 python3.14 python3.13 python3.12 python3.11 python; do for d in $$PATH; do \
	"$$d/$$p" -c '$(FITS)' $$need 2>/dev/null && echo "$$d/$$p" && exit; done; done; done)
FITS = import ensurepip, sys, sysconfig; \
	optimised = sys.base_prefix == "/usr" or "--enable-optimizations" in str(sysconfig.get_config_var("CONFIG_ARGS")); \
	sys.exit(sys.version_info < (3, 11) or (sys.argv[1] == "optimised" and not optimised))
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check
comma := ,
# uv installs in twenty seconds what takes pip ninety. Where it cannot, pip does: that is one more try, too, when an index
# hiccups.
UV = $(BIN)/uv pip install --python $(BIN)/python $(COMPILED)
COMPILED := --compile-bytecode
install = @{ test -x $(BIN)/uv && $(UV) --quiet $(WANTED) --editable $(1); } \
	|| { test $(RELEASES) != lowest || { echo "RELEASES=lowest needs uv: $(PIP) install uv"; exit 1; }; \
	echo "with pip, which takes longer"; $(PIP) install --quiet $(WANTED) --editable $(1); }
# Which releases of other packages: pinned, lowest (the lower bounds of pyproject.toml) or newest.
RELEASES ?= pinned
WANTED = $(WANTED_$(or $(filter pinned lowest newest,$(RELEASES)),$(error RELEASES is pinned, lowest or newest, not $(RELEASES))))
WANTED_pinned = --constraint $(CONSTRAINTS)
WANTED_lowest = --resolution lowest-direct
WANTED_newest = --upgrade
# Expanded after .venv is made, because its Python decides.
CONSTRAINTS = $(shell $(BIN)/python -c 'import sys; sys.exit(sys.version_info < (3, 14))' 2>/dev/null \
	&& echo constraints-3.14.txt || echo constraints.txt)
PINS := pyproject.toml constraints.txt constraints-3.14.txt
# In containers people are root, and JupyterLab wants to be told.
AS_ROOT := $(if $(filter 0,$(shell id -u)),--allow-root)
STUDENT := $(VENV)/.student
GRADER := $(VENV)/.grader
SITE := $(VENV)/.site
DEVELOPER := $(VENV)/.developer
LINT := $(VENV)/.lint
# The proxy of JupyterHub, which a test starts, is a program for Node.js, and MathJax is what formgrader's pages load. npm
# may be installed later than the rest.
NODE := $(VENV)/node
PROXY := $(NODE)/.proxy-and-mathjax
MATHJAX := mathjax@2.7.7
PORT ?= 8000
# For one class: the CSV of its students, or `gradebook` for those in the gradebook, so that each gets numbers of their own.
STUDENTS ?=
# Tests to run: a file or folder, and those whose names contain a topic; by default all.
TESTS ?=
TOPIC ?=
CHOSEN = $(TESTS) $(if $(TOPIC),-k $(TOPIC))
# Where the book's Binder links lead, as OWNER/NAME and a branch, tag or commit; empty: what pyproject.toml says, and main.
REPOSITORY ?=
REF ?=

# Hundreds of processes import the same files; if bytecode is not cached, each process compiles every file again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help lab grade-setup test prove lint labs doctor bench book lite slides wheel bundle tagged release serve clean
# The book and the lab in the browser share a folder.
.NOTPARALLEL:

help:
	@echo "make lab     set everything up and open JupyterLab on your copy of the first page"
	@echo "make grade-setup  install what instructors need, and run no tests"
	@echo "make test    set everything up and run the tests (TOPIC=roofline those of a topic, TESTS=tests/models a folder,"
	@echo "             SAMPLE=2026-11-23 the cases of that day)"
	@echo "make prove   run all cases and the slow tests too (PART=3/6 runs a sixth, TESTS=tests/models a folder)"
	@echo "make lint    check style, format and types"
	@echo "make labs    write labs/ anew from solutions/"
	@echo "make doctor  prove that every exercise grades as it says"
	@echo "make bench   print speed beside bare NumPy and stock tools"
	@echo "make book    build the book as a static site: build/site"
	@echo "make slides  build the slides of every chapter: build/slides"
	@echo "make lite    build the lab that runs in a browser: build/site/lite"
	@echo "make serve   show both on http://localhost:$(PORT) (PORT=... picks another)"
	@echo "make wheel   build the package: build/dist/*.whl"
	@echo "make bundle  build the zip for a learning platform, no solutions: build/dist/*.zip"
	@echo "             (STUDENTS=students.csv for a class with numbers of their own, STUDENTS=gradebook for that in the gradebook)"
	@echo "make release set the version, commit and tag it (VERSION=0.3.0); nothing is pushed"
	@echo "make tagged  check that TAG is this version, before a release"
	@echo "make clean   remove .venv and everything that was built"

lab: $(STUDENT)
	@$(BIN)/autograder workspace
	@echo "JupyterLab opens in your browser; Ctrl+C here, twice, ends it."
	@$(BIN)/jupyter lab $(AS_ROOT) --notebook-dir=. my_course/00_start.ipynb

# For instructors: the course and what grading needs, without the tests.
grade-setup: $(GRADER)
	@echo "Ready: . $(BIN)/activate, then autograder selftest"

test: $(DEVELOPER) $(PROXY)
	$(BIN)/python -m pytest -n auto $(CHOSEN)

lint: $(LINT)
	$(BIN)/pre-commit run --all-files --show-diff-on-failure

# All tests and more random examples, also what takes long. PART=3/6 runs the third of six parts, each under an hour on two
# processors; TESTS=tests/models runs one folder.
prove: $(DEVELOPER) $(PROXY)
	SAMPLE=all $(BIN)/python -m pytest -n auto -m "" $(CHOSEN)

labs: $(DEVELOPER)
	$(BIN)/autograder generate-labs

doctor: $(STUDENT)
	$(BIN)/autograder doctor

bench: $(DEVELOPER)
	$(BIN)/python -m tests.bench

book: $(SITE)
	$(BIN)/python -m course.publish book $(if $(REPOSITORY),--repository $(REPOSITORY)) $(if $(REF),--ref $(REF)) $(if $(PYODIDE),--pyodide $(PYODIDE))

lite: $(SITE)
	$(BIN)/python -m course.publish lite $(if $(PYODIDE),--pyodide $(PYODIDE))

slides: $(SITE)
	$(BIN)/python -m course.publish slides

wheel: $(SITE)
	$(BIN)/python -m course.publish.wheel

# First of all: the labs that go out are those that solutions/ gives today.
bundle: $(DEVELOPER)
	$(BIN)/autograder generate-labs --check
	$(BIN)/python -m course.publish bundle $(if $(STUDENTS),--students $(filter-out gradebook,$(STUDENTS)))

# A release is named after the version: TAG=v1.2.3 make tagged
tagged: $(STUDENT)
	@$(BIN)/python -c 'import os, sys, chip2cluster; want = "v" + chip2cluster.__version__; tag = os.environ.get("TAG"); \
		sys.exit(f"the tag is {tag}, but this is {want}" if tag != want else 0)'

# VERSION=0.3.0 make release
VERSION ?=
release: $(STUDENT)
	@$(BIN)/python -m course.publish.release "$(VERSION)"

serve: $(SITE)
	@test -e build/site/index.html || { echo "nothing to show yet: make book"; exit 1; }
	$(BIN)/python -m http.server --bind 127.0.0.1 --directory build/site $(PORT)

$(VENV):
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer with venv (on Debian: python3-venv) was not found; set PYTHON=/path/to/python3"; exit 1; }
	@echo "Making $(VENV), a place for the course's Python packages, with $(PYTHON); PYTHON=... picks another."
	@"$(PYTHON)" -m venv $(VENV)
	@# An index that pip is told of is not asked by uv: there, pip does all.
	@$(PIP) config list | grep -q '\.index-url' \
		|| $(PIP) install --quiet --only-binary :all: --constraint constraints.txt uv || true

$(STUDENT): $(PINS) | $(VENV)
	@echo "Installing the course and JupyterLab into $(VENV): a minute or two, once. Nothing else to do meanwhile."
	$(call install,.)
	@touch $@

$(SITE): $(PINS) | $(STUDENT)
	@echo "Installing what the book and the lab in the browser are made with: some minutes, once."
	$(call install,'.[site]')
	@touch $@

$(GRADER): $(PINS) | $(VENV)
	@echo "Installing the course and what grading needs into $(VENV): half a minute to three, once."
	$(call install,'.[grading]')
	@touch $(STUDENT) $@

# The course is part of it: to install it first would go through the same packages twice. The tests compile what they
# import, about half of it all.
$(DEVELOPER): COMPILED :=
$(DEVELOPER): $(PINS) | $(VENV)
	@echo "Installing what grading and the tests need: some minutes, once."
	$(call install,'.[grading$(comma)test]')
	@touch $(STUDENT) $(GRADER) $@

$(PROXY): deploy/hub/package.json | $(VENV)
	@mkdir -p $(NODE) && cp deploy/hub/package.json $(NODE)
	@if command -v npm >/dev/null; then \
		npm install --silent --no-fund --no-audit --no-package-lock --prefix $(NODE) $(MATHJAX) && touch $@ \
		|| echo "npm could not install the proxy of JupyterHub and MathJax: the tests list what they leave out"; fi

$(LINT): $(PINS) | $(STUDENT)
	@echo "Installing what checks style and types: a minute, once."
	$(call install,'.[lint]')
	@touch $@

clean:
	rm -rf $(VENV) build
