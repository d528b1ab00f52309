# Penstock's commands. `make` alone lists them. Everything is set up in .venv; no step needs root.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help

PYTHON ?= python3
VENV := .venv
PY := $(VENV)/bin/python
export PIP_DISABLE_PIP_VERSION_CHECK := 1
export PIP_NO_INPUT := 1
# Two makes at once must not build into the same folder.
LOCK := $(shell command -v flock >/dev/null && echo "flock build/lock")
SOURCES := $(shell find src -name '*.py' -o -name '*.pyx' -o -name '*.pxd' -o -name '*.pyi' -o -name py.typed -o -name reasons.txt -o -path '*/cheat_sheets/*.md' -o -path '*/lab/*' -name '*.*ml' -o -name '*.csv' -o -name '*.css' -o -path '*/console/*' -name '*.html' -o -path '*/static/*')
PYTEST := $(PY) -m pytest
JOBS ?= $(shell n=$$(nproc 2>/dev/null || echo 2); echo $$((n > 8 ? 8 : n)))
# What the set-up costs: space on disk, and the time of a build from nothing.
RUN_SIZE := 1.1 GB
TEST_SIZE := 410 MB
BUILD_TIME := some six minutes of processor time, three on two cores
# The tests of a group (tests/spark.py) go to one worker: there is one JVM for all of them.
PARALLEL := -n $(JOBS) --dist loadgroup

.PHONY: help setup build demo test check lint unit uncompiled soak asan bench bench-peers wheel clean prerequisites

help:  ## list the commands
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## */  make \1\t/' | expand -t 20

setup: $(VENV)/stamp-build $(VENV)/stamp-archive  ## set up .venv and build into it (quick when nothing changed)

build: setup  ## the same: build what changed and install it into .venv

# The set-up has stamps: the empty environment, the packages that Penstock runs with, our own package, and,
# for those who test, the packages of the tests.
$(VENV)/stamp-venv:
	@$(MAKE) --no-print-directory prerequisites
	@echo "setup: creating $(VENV) with $$($(PYTHON) --version)"
	@rm -rf $(VENV) && $(PYTHON) -m venv $(VENV)
	@touch $@

# What pyproject.toml lists: the names of extras, or "run" for what the build and the package need.
LIST := 'import sys, tomllib; p = tomllib.load(open("pyproject.toml", "rb")); extra = p["project"]["optional-dependencies"]; \
  extra["run"] = p["build-system"]["requires"] + p["project"]["dependencies"]; \
  print(*(x.replace(" ", "") for name in sys.argv[1:] for x in extra[name]))'
INSTALL = $(PY) -m pip install -qq -c constraints.txt $$($(PY) -c $(LIST) $(1))
SIZE = $$(du -sm $(VENV) | cut -f1) MB

$(VENV)/stamp-packages: $(VENV)/stamp-venv pyproject.toml constraints.txt
	@echo "setup: installing packages ($(RUN_SIZE), most of it Spark and a Java)"
	@$(call INSTALL,run spark console)
	@echo "setup: $(VENV) has $(SIZE)"
	@touch $@

$(VENV)/stamp-test: $(VENV)/stamp-packages pyproject.toml constraints.txt
	@echo "setup: installing the packages of the tests ($(TEST_SIZE))"
	@$(call INSTALL,test)
	@echo "setup: $(VENV) has $(SIZE)"
	@touch $@

$(VENV)/stamp-build: $(VENV)/stamp-packages setup.py pyproject.toml $(SOURCES)
	@$(MAKE) --no-print-directory prerequisites
	@echo "setup: building penstock: compiles what changed; all of it takes $(BUILD_TIME)"
	@mkdir -p build
	@begun=$$(mktemp -p build stamp-XXXXXX); exec 3>&1; \
	PENSTOCK_PROGRESS=/proc/$$$$/fd/3 $(LOCK) $(PY) -m pip install -qq --no-build-isolation --no-deps --force-reinstall . > build/setup.log 2>&1 \
	  || { rm -f $$begun; sed '/Traceback/,$$d' build/setup.log >&2; echo "setup: the build failed; build/setup.log has the whole story" >&2; exit 1; }; \
	mv $$begun $@

# Spark's first start loads ten thousand classes; an archive of them halves it. Without Java there is none.
$(VENV)/stamp-archive: $(VENV)/stamp-packages | $(VENV)/stamp-build
	@echo "setup: making the archive of Spark's classes (165 MB, half a minute)"
	@$(VENV)/bin/penstock spark prepare > build/archive.log 2>&1 || echo "setup: no archive, Spark starts more slowly; build/archive.log says why" >&2
	@touch $@

prerequisites:
	@missing=""; \
	if ! $(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then missing="$$missing python3 python3-venv python3-dev"; \
	else \
	  $(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || missing="$$missing python3-venv"; \
	  $(PYTHON) -c 'import os, sys, sysconfig; sys.exit(not os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h")))' || missing="$$missing python3-dev"; \
	fi; \
	set -- $${CC:-gcc}; command -v "$$1" >/dev/null || missing="$$missing gcc"; \
	if [ -n "$$missing" ]; then \
	  echo "setup: Penstock needs Python 3.11+, its headers and a C compiler; install what is missing with: apt-get install -y$$missing" >&2; exit 1; \
	fi

demo: setup  ## show the product: a flow on Spark, kill -9 in the middle, nothing lost or doubled
	@$(VENV)/bin/penstock demo

lint: $(VENV)/stamp-test setup
	@$(VENV)/bin/ruff format --check --quiet . || { echo "check: run '$(VENV)/bin/ruff format .'" >&2; exit 1; }
	@$(VENV)/bin/ruff check --quiet .
	@$(VENV)/bin/mypy --no-error-summary
	@PYTHONPATH=src $(VENV)/bin/lint-imports --cache-dir build/import_linter_cache > build/lint-imports.txt || { cat build/lint-imports.txt; exit 1; }
	@echo "check: format, lint, types and import rules are clean"

unit: $(VENV)/stamp-test setup
	@$(PYTEST) -q $(PARALLEL) tests/unit

check: lint unit  ## format, lint, types, import rules, unit tests (under two minutes)

test: lint uncompiled  ## everything that CI runs
	@$(PYTEST) -q -rs $(PARALLEL) --durations=40 --durations-min=2 tests

# Rooms with modules that are compiled and also run as Python; others are the same both ways.
BOTH_WAYS := esql flow host model qmgr tree
BOTH_WAYS_PROPERTY := aggregation esql_casts esql_field_casts esql_logic queue_manager topic_matcher tree_messages

uncompiled: $(VENV)/stamp-test setup
	@echo "test: the rooms $(BOTH_WAYS), uncompiled from src"
	@PENSTOCK_UNCOMPILED=1 $(PYTEST) -q $(PARALLEL) -m "not soak and not installed" \
	  $(wildcard $(BOTH_WAYS:%=tests/unit/%) $(BOTH_WAYS:%=tests/processes/%) $(BOTH_WAYS_PROPERTY:%=tests/property/test_%.py))

# It can be run in parts (TESTS=...) and continued (RESUME=1): build/soak-passed lists what has passed.
soak: $(VENV)/stamp-test setup  ## the heavy tests, with large parameters; TESTS=... some, RESUME=1 goes on
	@[ -n "$(RESUME)" ] || rm -f build/soak-passed
	@PENSTOCK_SOAK=1 PENSTOCK_PASSED=build/soak-passed $(PYTEST) -q -m "soak or crash" $(or $(TESTS),tests)

# The compiled modules of the tree under AddressSanitizer, in a folder of their own; malloc shows the
# sanitizer every bytes object, so that reading behind a source is found.
ASAN := LD_PRELOAD="$$(gcc -print-file-name=libasan.so)" ASAN_OPTIONS=detect_leaks=0 PYTHONMALLOC=malloc PYTHONPATH=build/asan
ASAN_TESTS := tests/unit/tree $(wildcard tests/property/test_tree_*.py)

asan: $(VENV)/stamp-test setup  ## the message tree's tests and fuzz corpus under AddressSanitizer
	@echo "asan: building into build/asan"
	@CFLAGS="-fsanitize=address -fno-omit-frame-pointer" LDFLAGS="-fsanitize=address" $(LOCK) $(PY) setup.py -q \
	  build_py --build-lib build/asan build_ext --build-lib build/asan --build-temp build/asan-temp > build/asan.log 2>&1 \
	  || { tail -20 build/asan.log >&2; exit 1; }
	@$(ASAN) $(PY) -c 'import penstock.tree._arena as a; assert "build/asan" in a.__file__, a.__file__'
	@$(ASAN) $(PYTEST) -q -p no:xdist $(ASAN_TESTS)

bench: $(VENV)/stamp-test setup  ## measure, beside floors and peers
	@$(PY) -m tests.bench

bench-peers: $(VENV)/stamp-test setup  ## measure beside RabbitMQ, Redis, NATS, ActiveMQ, Mosquitto; flows beside Bytewax, Node-RED
	@sh tests/bench/peers/install.sh
	@sh tests/bench/flow_peers/install.sh
	@$(PY) -m pip install -qq -c constraints.txt $$($(PY) -c 'import tomllib; \
	  print(*tomllib.load(open("pyproject.toml", "rb"))["project"]["optional-dependencies"]["peers"])')
	@$(PY) -m tests.bench.peers; messaging=$$?; $(PY) -m tests.bench.flow_peers && exit $$messaging

wheel: setup  ## build dist/*.whl, which needs no compiler to install
	@rm -rf dist
	@$(LOCK) $(PY) -m pip wheel -qq --no-build-isolation --no-deps -w dist .
	@ls dist/*.whl

clean:  ## remove everything that was built
	@rm -rf $(VENV) build dist
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +
