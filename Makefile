# Each target makes the virtual environment it needs. `make test PYTHON=python3.13` picks another interpreter.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin

.PHONY: demo lab kit test compiled quick soak lint map bench docs verified verified-all oldest newest clean

demo: $(VENV)/.user
	@echo; echo "1. A perceptron learns: each frame is one correction of its line."; echo
	@$(BIN)/python examples/first_look.py
	@echo; echo "2. Can a hyperplane tell sonar returns of metal from those of rock? 208 returns, 60 numbers each. With proof:"; echo
	@$(BIN)/rosenblatt check src/rosenblatt/datasets/sonar.csv --target material --report sonar-report.html
	@echo; echo "Next: open sonar-report.html; make lab (drag the points yourself); $(BIN)/rosenblatt check YOUR.csv --target COLUMN"

lab: $(VENV)/.user
	$(BIN)/rosenblatt lab

# For a class: plans, notebooks, tables, pictures, and the lab in one file.
kit: $(VENV)/.user
	$(BIN)/python docs/kit.py kit

# A file is one worker's, for its servers and clusters start once. Files go out in their order: sorted by the number of
# their tests, as pytest-xdist would have them, files with few long tests would all be last.
PARALLEL := --numprocesses auto --dist loadfile --no-loadscope-reorder

# The tests start Python hundreds of times: it need not compile every source each time, whatever is usual on the machine.
test quick soak newest oldest: export PYTHONDONTWRITEBYTECODE :=

# Before the tests the loops are compiled, beside the lint: tests that start at once would each compile the same ones.
test: $(VENV)/.dev
	@$(MAKE) --no-print-directory --jobs 2 lint compiled
	$(BIN)/python -m pytest $(PARALLEL)

compiled: $(VENV)/.dev
	@$(BIN)/rosenblatt warmup

# Lint, types, layers, and of every room the tests that find most in least time: what to run while working.
QUICK := tests/exact tests/models tests/test_light_core.py tests/test_lecture.py tests/test_package.py \
  tests/verdicts/test_known_data.py tests/verdicts/test_points.py tests/existence/test_certificates.py \
  tests/existence/test_fitted.py tests/existence/test_gravity.py tests/estimates/test_formula.py tests/data/test_refusals.py \
  tests/data/test_kinds_of_files.py tests/data/test_frames.py tests/learners/test_outcomes.py \
  tests/learners/test_swap_in.py tests/comparison/test_measures.py tests/filters/test_tasks.py tests/plot/test_view.py \
  tests/probes/test_result.py tests/logic/test_gates.py tests/cover/test_worth.py tests/cli/test_bad_input.py \
  tests/cli/test_check_models.py tests/cli/test_estimate.py tests/lab/test_server.py tests/report/test_classes_page.py

quick: lint
	$(BIN)/python -m pytest $(PARALLEL) --quiet $(QUICK)

soak: $(VENV)/.dev
	$(BIN)/python -m pytest --soak

# What is where: the first line of every file. make map ROOM=verdicts for one room.
map: $(VENV)/bin/python
	@$(BIN)/python .ci/map.py $(ROOM)

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(VENV)/.bench
	$(BIN)/python -m benchmarks --output docs/numbers

docs: $(VENV)/.docs
	$(BIN)/python -m sphinx --fail-on-warning --keep-going --quiet docs docs/_build/html
	$(BIN)/python docs/check_site.py docs/_build/html
	@echo "The book is in docs/_build/html/index.html"

# The tests that need nothing but the dependencies themselves, with the lowest versions that pyproject.toml allows. Another
# Numba would throw the compiled loops of the usual one away: it keeps its own. What old packages use of newer ones may be
# deprecated there, which is not our affair. lifelines needs a pandas older than 3, so its tests run here.
CORE := tests/exact tests/test_counting.py tests/test_light_core.py tests/verdicts/test_known_data.py \
  tests/learners/test_outcomes.py tests/learners/test_without_callbacks.py tests/models/test_models.py tests/cli/test_check_and_verify.py \
  tests/existence/test_fitted.py

oldest: $(VENV)-oldest/.made
	NUMBA_CACHE_DIR=$(abspath $(VENV)-oldest/numba) $(VENV)-oldest/bin/python -m pytest -W ignore::DeprecationWarning $(CORE)

# All tests, with the newest version of everything, new environment included: for a release.
newest:
	rm -rf $(VENV)-newest
	$(MAKE) $(VENV)-newest/.made
	$(VENV)-newest/bin/python -m pip list --disable-pip-version-check
	NUMBA_CACHE_DIR=$(abspath $(VENV)-newest/numba) $(VENV)-newest/bin/python -m pytest $(PARALLEL)

# The checker that is proved, in verified/: nothing else needs it.
VERIFIED_PACKAGES := coq ocaml-findlib libzarith-ocaml-dev

verified:
	@if command -v coqc >/dev/null && ocamlfind query zarith >/dev/null 2>&1; then \
	  $(MAKE) --no-print-directory verified-all; \
	else \
	  echo "Skipped: the proved checker needs Coq. On Debian and Ubuntu: sudo apt install $(VERIFIED_PACKAGES)"; \
	fi

verified-all: $(VENV)/.dev
	$(MAKE) --no-print-directory -C verified all recheck
	$(BIN)/python -m pytest tests/verified

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "rosenblatt needs Python 3.11 or newer; '$(PYTHON)' is not. Say: make PYTHON=/path/to/python3.11 …"; exit 1; }
	@$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); \
	  echo "Python has no working venv. On Debian and Ubuntu: sudo apt install python3-venv; then run make again."; exit 1; }

$(VENV)/.user: $(VENV)/bin/python pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	@touch $@

$(VENV)/.dev: $(VENV)/bin/python pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@ $(VENV)/.user

$(VENV)/.bench: $(VENV)/.dev
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev,bench]'
	@touch $@

$(VENV)/.docs: $(VENV)/.user
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[docs,notebook,dask]'
	@touch $@

$(VENV)-oldest/.made: pyproject.toml .ci/lowest.py
	rm -rf $(VENV)-oldest
	$(MAKE) $(VENV)-oldest/bin/python VENV=$(VENV)-oldest
	$(VENV)-oldest/bin/python .ci/lowest.py > $(VENV)-oldest/lowest.txt
	$(VENV)-oldest/bin/python -m pip install --quiet --disable-pip-version-check --requirement $(VENV)-oldest/lowest.txt \
	  --editable . hypothesis mpmath pytest lifelines statsmodels
	@touch $@

$(VENV)-newest/.made: pyproject.toml
	$(MAKE) $(VENV)-newest/bin/python VENV=$(VENV)-newest
	$(VENV)-newest/bin/python -m pip install --quiet --disable-pip-version-check --upgrade --upgrade-strategy eager \
	  pip --editable '.[dev]'
	@touch $@

clean:
	rm -rf kit verified/_build verified/rosenblatt-verify docs/_build docs/_pictures docs/gallery docs/reference/generated $(VENV) $(VENV)-oldest $(VENV)-newest .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
