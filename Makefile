# make demo      erode a real terrain, add its rivers, render it before and after: demo/
# make examples  every recipe before and after, also on one fractal, and the processes' demonstrations: build/examples/
# make landscape a landscape of 4096² cells on a cluster of this machine, one worker killed on the way: build/landscape/
# make figures   figures of drainage and slopes after every recipe that begins with rivers, as a table; an hour.
#                Of elevation models too: MODELS="--model FILE.npy CELL_SIZE ..."
# make test      all tests, on the Blender release that fits the Python found
# make thorough  tests that take long, of laws that `make test` tries on less: before a release, half an hour
# make test-fast  the loop at the desk, under a minute: no Blender, no processes, no whole landscapes
# make test-all  all tests on both LTS releases, where both Pythons are there; on the older one what depends on Blender,
#                numpy and files
# make environments  what test-all needs, without running it
# make gui-test  the extension in a real Blender window, driven with a mouse (Linux, root)
# make soak      500 runs and 2,000 strokes of the brush in one Blender, and what grows; an hour
# make stalls    how long the extension holds up Blender's main thread, as a histogram
# make neighbors  other extensions' versions of the same libraries, in both orders (downloads 45 MB)
# make same-bytes  every recipe's bytes on poorer machines
# make histories  thousands of histories of a session: runs, edits, undo, saving, in any order, beside a plain model
# make faults    memory, disk and worker failed at every place, once and for ever; all surroundings that this machine can
#                be given; runs ended and killed at random moments: the input or the result, never between; an hour
# make fuzz SECONDS=600  mutated recipes, images, checkpoints and words, toward code not seen before (Linux)
# make limits    10,000 recipes at random from one hard limit of every parameter to the other, on land from 3 × 3 cells; hours
# make mutants   small faults put into kernels, commit and model: of those in kernels and commit tests notice 95 %; hours
# make bench     speed and memory, as ratios within one run
# make zip       the extension as a zip for this platform: dist/
# make zips      the same for every platform, with their sizes

SHELL := /bin/bash

# A Python of a version, wherever this machine keeps it; empty if there is none. A pyenv shim is there for versions
# that it then refuses to run, so each candidate has to answer.
find_python = $(shell for python in python$(1) "$$HOME"/.pyenv/versions/$(1).*/bin/python$(1) /opt/homebrew/bin/python$(1) /usr/local/bin/python$(1) python3; do \
	if "$$python" -c 'import sys; sys.exit("%d.%d" % sys.version_info[:2] != "$(1)")' 2>/dev/null; then echo "$$python"; break; fi; done)

PYTHON_3_13 := $(call find_python,3.13)
PYTHON_3_11 := $(call find_python,3.11)
PYTHON ?= $(or $(PYTHON_3_13),$(PYTHON_3_11))
VENV ?= .venv
# A download that stands still is asked for again after half a minute.
PIP_OPTIONS := --quiet --timeout 30 --retries 10
IN_VENV := $(VENV)/bin/python

.PHONY: demo examples landscape figures test thorough test-fast test-all test-3.13 test-3.11 environments environment-3.13 environment-3.11 lint gui-test soak stalls neighbors same-bytes histories faults fuzz limits mutants bench zip zips clean

demo: $(VENV)/ready
	$(IN_VENV) examples/demo.py

examples: $(VENV)/ready
	$(IN_VENV) examples/recipes.py
	$(IN_VENV) examples/recipes.py --plain
	$(IN_VENV) examples/wind.py
	$(IN_VENV) examples/water.py
	$(IN_VENV) examples/physics.py
	$(IN_VENV) examples/rivers.py
	$(IN_VENV) examples/animation.py
	$(IN_VENV) examples/brush.py
	$(IN_VENV) examples/gallery.py

landscape: $(VENV)/ready
	$(IN_VENV) examples/landscape.py

figures: $(VENV)/ready
	$(IN_VENV) examples/figures.py $(MODELS)

test: lint
	$(IN_VENV) -m pytest -q $(TEST_OPTIONS)

thorough: $(VENV)/ready
	$(IN_VENV) -m pytest -q --numprocesses 2 --dist worksteal --thorough

test-fast: $(VENV)/ready
	$(IN_VENV) -m pytest -q --numprocesses 2 --dist worksteal -m "not (render or worker or landscape or fuzz or compile or slow)" --ignore tests/scene --ignore tests/ui tests

lint: $(VENV)/ready
	$(IN_VENV) -m ruff check .
	$(IN_VENV) -m ruff format --check --quiet .
	$(IN_VENV) -m mypy

# `make -j2 test-all` runs both at once.
test-all: test-3.13 test-3.11
	@if [ -z "$(PYTHON_3_13)" ] && [ -z "$(PYTHON_3_11)" ]; then echo "Neither Python 3.13 nor 3.11 was found."; exit 1; fi

test-3.13:
	@if [ -n "$(PYTHON_3_13)" ]; then $(MAKE) test PYTHON="$(PYTHON_3_13)" VENV=.venv-3.13; \
		else echo "NOT RUN on Blender 5.2: there is no Python 3.13."; fi

# What differs on the older release is Blender, numpy and Python: the interface, the scene, files, the command line and
# the bytes of all processes feel it. Laws of processes and drainage, landscapes, runs, drawn cases and kernels try numba
# or our own code, which are the same on both.
ON_OLDER := -m "not (landscape or fuzz or compile or kernel)" --ignore=tests/processes --ignore=tests/drainage \
	--ignore=tests/landscape --ignore=tests/run --ignore=tests/worker --ignore=tests/terrain --ignore=tests/bake --ignore=tests/test_architecture.py \
	--ignore=tests/test_bench.py --ignore=tests/test_mutants.py --ignore=tests/test_stubs.py --ignore=tests/test_language.py \
	--ignore=tests/test_limits.py --ignore=tests/test_manual.py --ignore=tests/test_manual_pages.py --ignore=tests/base/test_data_files.py

test-3.11:
	@if [ -n "$(PYTHON_3_11)" ]; then $(MAKE) test PYTHON="$(PYTHON_3_11)" VENV=.venv-3.11 TEST_OPTIONS='$(ON_OLDER)'; \
		else echo "NOT RUN on Blender 4.5: there is no Python 3.11."; fi

environments: environment-3.13 environment-3.11

environment-3.13:
	@if [ -n "$(PYTHON_3_13)" ]; then $(MAKE) .venv-3.13/ready PYTHON="$(PYTHON_3_13)" VENV=.venv-3.13; fi

environment-3.11:
	@if [ -n "$(PYTHON_3_11)" ]; then $(MAKE) .venv-3.11/ready PYTHON="$(PYTHON_3_11)" VENV=.venv-3.11; fi

bench: $(VENV)/ready
	$(IN_VENV) bench/bench.py

soak: $(VENV)/ready
	$(IN_VENV) -m tests.soak

stalls: $(VENV)/ready
	$(IN_VENV) -m tests.stalls

neighbors: $(VENV)/ready
	$(IN_VENV) -m tests.neighbors

same-bytes: $(VENV)/ready
	$(IN_VENV) -m tests.every_machine

histories: $(VENV)/ready
	$(IN_VENV) -m tests.histories --count 3000

faults: $(VENV)/ready
	$(IN_VENV) -m tests.faults
	$(IN_VENV) -m tests.surroundings
	$(IN_VENV) -m tests.interruptions

fuzz: $(VENV)/ready
	$(IN_VENV) -m tests.fuzz --seconds $(or $(SECONDS),600)

limits: $(VENV)/ready
	$(IN_VENV) -m tests.limits --count 10000

mutants: $(VENV)/ready
	$(IN_VENV) -m tests.mutants

zip: $(VENV)/ready
	$(IN_VENV) release/zip.py --all
	$(IN_VENV) release/zip.py --distributions

zips: $(VENV)/ready
	$(IN_VENV) release/zip.py --all --platform all
	$(IN_VENV) release/zip.py --distributions --platform all

gui-test: $(VENV)/ready
	$(IN_VENV) tests/gui/run.py $(GUI_OPTIONS)

clean:
	rm -rf .venv .venv-3.* build demo dist

$(VENV)/ready: pyproject.toml
	@if [ -z "$(PYTHON)" ]; then echo "Python 3.13 or 3.11 is needed (Blender 5.2 and 4.5 are made for these)."; exit 1; fi
	"$(PYTHON)" -m venv --clear $(VENV)
	$(IN_VENV) -m pip install $(PIP_OPTIONS) --upgrade pip
	$(IN_VENV) -m pip install $(PIP_OPTIONS) --editable '.[dev]'
	touch $@
