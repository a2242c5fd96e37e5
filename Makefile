# The verbs of this repository. Each sets up what it needs in .venv.
PYTHON ?= python3.11
BIN := .venv/bin
READY := .venv/.ready
DOCS_READY := .venv/.ready-docs

.PHONY: demo test pytest test-slow test-browser test-cluster test-interop test-docs docs quality style messages bench clean

demo: $(READY)  ## norms of five real models from their published answers, into runs/demo
	$(BIN)/normscope demo --out runs/demo

test: $(READY)  ## everything that CI checks: lint and types beside the tests
	$(MAKE) --no-print-directory --jobs 2 quality pytest

pytest: $(READY)  ## the tests alone; the third process works while two wait for servers
	$(BIN)/python -m pytest -n 3 --dist loadfile --no-loadscope-reorder -m "not slow and not browser and not interop and not cluster and not docs"

test-slow: $(READY)  ## kill, resume, wheel in a fresh environment; properties at new random examples
	$(BIN)/python -m pytest -m "slow or hypothesis" --hypothesis-profile random

quality: $(READY)  ## lint, format and types only
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/mypy tests

test-browser: $(READY)  ## pages and the Space in a real browser (Debian's package chromium)
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[browser]'
	$(BIN)/python -m pytest -m browser

test-cluster: $(READY)  ## a Ray cluster of two machines on this one, of which workers and a machine are lost
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[cluster]'
	$(BIN)/python -m pytest -m cluster

docs: $(DOCS_READY)  ## the documentation as a site in site/: site/index.html, or its server
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build

test-docs: $(DOCS_READY)  ## the site, without another host, and the notebooks, executed anew
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[browser]'
	$(BIN)/python -m pytest -m docs

# the tools that we exchange with: what each needs stands in tests/interop/peers
PEERS := $(notdir $(basename $(wildcard tests/interop/peers/*.txt)))

test-interop: $(READY) $(PEERS:%=.peers/%/.ready)  ## against Inspect, lm-eval, garak, PyRIT and hadolint
	$(BIN)/python -m pytest -m interop

.peers/%/.ready: tests/interop/peers/%.txt
	$(PYTHON) -m venv .peers/$*
	.peers/$*/bin/python -m pip install --quiet --requirement $<
	touch $@

bench: $(READY)  ## measured claims, side by side
	$(BIN)/python benchmarks/judge_throughput.py --quick

messages: $(READY)  ## what the sources say into the catalogues of the translators
	$(BIN)/python tests/shared/catalogues.py

style: $(READY)  ## mend what can be mended by itself
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

$(READY): pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[judge,space,test]'
	touch $@

$(DOCS_READY): $(READY)
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[docs]'
	touch $@

clean:
	rm -rf .venv site build dist *.egg-info .mypy_cache .pytest_cache .ruff_cache .hypothesis
