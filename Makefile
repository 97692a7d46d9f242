# One word a task. `make play` and `make test` set up everything they need in .venv the first time.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
EXTERNAL := .venv-external
# How many tests run at once: one for each core, or WORKERS=0 for one after the other in a single process.
WORKERS ?= auto

.PHONY: play test test-external external style bench doctor clean
.DEFAULT_GOAL := play

# Without a screen this films a scripted race of 20 s into sessions/play.mp4 and ends by itself.
# PLAY_ARGS passes options on: make play PLAY_ARGS="--track NAME --rivals 15"
play: $(READY)
	$(BIN)/paintover play $(PLAY_ARGS)

# In the order of their folders: the long files are those of demos, and one of them at the end would keep a core waiting.
# Tests that need the machine for themselves come last. 5: TEST_ARGS choose none of them.
test: $(READY)
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder -m "not alone" $(TEST_ARGS)
	$(BIN)/python -m pytest -m alone $(TEST_ARGS) || [ $$? = 5 ]

# Engines that nobody here wrote. In an environment of their own: VizDoom's pygame-ce and our pygame own the same folder.
test-external: external
	$(EXTERNAL)/bin/python -m pytest tests/demos/test_external.py $(TEST_ARGS)

external: $(EXTERNAL)/.ready node_modules/three

style: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(READY)
	$(BIN)/paintover bench engine --json

doctor: $(READY)
	$(BIN)/paintover doctor

$(READY): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Paintover needs Python 3.11 or newer; name one with: make PYTHON=python3.12" >&2; exit 2; }
	@echo "setting up $(VENV): some minutes, once"
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install -qq --disable-pip-version-check -e '.[dev,render,web]'
	@touch $@

$(EXTERNAL)/.ready: pyproject.toml
	@$(PYTHON) -m venv $(EXTERNAL)
	@$(EXTERNAL)/bin/python -m pip install -qq --disable-pip-version-check -e '.[dev,external]'
	@touch $@

node_modules/three:
	npm install --no-save --no-package-lock --silent three

clean:
	rm -rf $(VENV) $(EXTERNAL) node_modules _vizdoom build .pytest_cache .mypy_cache .ruff_cache .hypothesis *.egg-info
	find . -name __pycache__ -type d -not -path './.git/*' -exec rm -rf {} +
