# `make` alone lists the targets. Everything runs in .venv, set up from the locks.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PYTEST := $(BIN)/python -m pytest
# Tests wait for processes, browsers and databases for a third of their time.
AT_ONCE ?= 3
AGAIN := --last-failed --last-failed-no-failures none
# By their files: collecting all tests takes as long as some of these.
CLUSTER = -m cluster -o cache_dir=.pytest_cache/cluster $$(grep -rlF --include='*.py' mark.cluster tests)
OTHERS := -m "not cluster"
PIP := $(BIN)/python -m pip --disable-pip-version-check -q install

# Where this is set, every command that a test starts would compile all modules again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help demo test test-quick check check-types check-rest bench harden soak sbom audit docs pythons lock clean
.DEFAULT_GOAL := help

help: ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

demo: $(VENV)/.run ## judge the examples on the embedded model (downloads 1.1 GB once)
	$(BIN)/python examples/demo.py

test: $(VENV)/.dev ## run the whole test suite, three files at a time, and beside them what needs a cluster
	@# Tests start servers, browsers and clusters, and kill them: what fails beside others must fail alone too.
	@mkdir -p build
	@$(PYTEST) $(CLUSTER) > build/cluster.txt 2>&1 & cluster=$$!; failed=0; \
	$(PYTEST) -n $(AT_ONCE) --dist loadfile --no-loadscope-reorder $(OTHERS) || $(PYTEST) $(AGAIN) $(OTHERS) || failed=1; \
	wait $$cluster && tail -n 1 build/cluster.txt || { cat build/cluster.txt; $(PYTEST) $(AGAIN) $(CLUSTER); } || failed=1; \
	exit $$failed

test-quick: $(VENV)/.dev ## the tests nearest to the change at hand, under ninety seconds
	$(BIN)/python tests/quick.py

check: $(VENV)/.dev ## format, lint, types, layers, generated docs, the documentation site
	@$(MAKE) --no-print-directory -j 2 -O check-types check-rest

check-types:
	$(BIN)/mypy
	$(BIN)/mypy examples/demo.py

check-rest:
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/lint-imports
	$(BIN)/python docs/generate.py --check
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build -q

bench: $(VENV)/.dev ## measure beside bare aiohttp and seven peers (first time: 2 GB of venvs; PEERS=none for few)
	$(BIN)/python bench/startup.py
	$(BIN)/python bench/memory.py
	$(BIN)/python bench/reading.py
	$(BIN)/python bench/compare.py --peers $(or $(PEERS),all)
	$(BIN)/python bench/crash.py
	$(BIN)/python bench/budget.py
	$(BIN)/python bench/faults.py
	$(BIN)/python bench/calibrate_speed.py
	$(BIN)/python bench/calibrate.py
	$(BIN)/python bench/coverage.py
	$(BIN)/python bench/pages.py
	$(BIN)/python bench/service.py
	$(BIN)/python bench/prefix.py

harden: $(VENV)/.dev ## every figure about hostile input and the supply chain (about 20 min; the faulty hour is make soak)
	$(BIN)/python bench/harden.py

sbom: $(VENV)/.dev ## write build/sbom.json, the bill of materials (CycloneDX)
	$(BIN)/python -m supply.sbom

audit: $(VENV)/.dev ## look for known holes in the locked packages; says so where the data cannot be had
	$(BIN)/python -m supply.audit

soak: $(VENV)/.dev ## an hour against a server that misbehaves: memory, descriptors, exact counts (SECONDS=120 for less)
	$(BIN)/python bench/soak.py --seconds $(or $(SECONDS),3600)

docs: $(VENV)/.dev ## write the generated pages of docs/ anew, and the site to build/site
	$(BIN)/python docs/generate.py
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build -q

pythons: ## install and try the wheel on every Python 3.11-3.14 of this machine
	$(PYTHON) tests/docs/every_python.py

lock: ## resolve the locks anew
	$(PYTHON) -m venv build/uv && build/uv/bin/python -m pip -q install uv
	build/uv/bin/uv pip compile -q --upgrade pyproject.toml $(EXTRAS) --group build $(LOCK) -o requirements.lock
	build/uv/bin/uv pip compile -q --upgrade pyproject.toml $(EXTRAS) --group build --group dev --group docs -c requirements.lock $(LOCK) -o requirements-dev.lock
# What `make demo`, the image and the tests need; Ray is with the tests alone.
EXTRAS := --extra web --extra parquet --extra embedded --extra postgres
# For every platform and Python at once, with hashes, and without the address of any index.
LOCK := --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header --no-annotate

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.run: requirements.lock pyproject.toml | $(VENV)/bin/python
	$(PIP) --require-hashes -r requirements.lock
	$(PIP) --no-deps --no-build-isolation -e .
	@touch $@

$(VENV)/.dev: requirements-dev.lock $(VENV)/.run
	$(PIP) --require-hashes -r requirements-dev.lock
	@touch $@

clean: ## remove what make made
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis demo.html
