# SPDX-License-Identifier: BSD-3-Clause
# Short names for what CMakePresets.json and tools/ do. Builds are in build/PRESET.
PREFIX ?= /usr/local
JOBS ?= $(shell nproc)
SECONDS ?= 60
KILLS ?= 100
SOURCES = $(shell git ls-files '*.cpp' '*.hpp')
export JOBS

# Debian's mpirun may belong to either library; builds of the release preset are OpenMPI's.
MPIRUN ?= $(or $(shell command -v mpirun.openmpi),mpirun)
ifeq ($(shell id -u),0)
export OMPI_ALLOW_RUN_AS_ROOT = 1
export OMPI_ALLOW_RUN_AS_ROOT_CONFIRM = 1
export PRTE_ALLOW_RUN_AS_ROOT = 1
export PRTE_ALLOW_RUN_AS_ROOT_CONFIRM = 1
endif
# Two ranks run on one core too.
export OMPI_MCA_rmaps_base_oversubscribe = 1
export OMPI_MCA_mpi_yield_when_idle = 1

# A build of everything stays one: `make demo` in it builds nothing else.
has_all = grep -qs '^WEFT_APPS:.*=all' build/release/CMakeCache.txt

.PHONY: help build python demo validation quick test check check-mpich check-python check-browser sanitize clang kills fuzz bench \
  results docs docs-links install format check-format lint clean

help:
	@echo 'make demo      set up, build, and run blood flow in an aneurysm on two ranks'
	@echo 'make quick     what to run at every change: tests that take seconds, of every library'
	@echo 'make test      every test of library and programs, with OpenMPI'
	@echo 'make check     all that a change has to pass: both MPI libraries, sanitizers, Python, browser, documents, format'
	@echo 'make build     library and programs with OpenMPI, optimised, into build/release'
	@echo 'make sanitize  the tests under the address, undefined-behaviour and thread sanitizers'
	@echo 'make validation  blood flow against known solutions: the tables and plots of docs/validation.md (minutes; LONG=yes: hours)'
	@echo 'make clang     the core and its tests, built by clang without a warning'
	@echo 'make kills    KILLS=$(KILLS): ranks of flow, wave and box are killed at random moments; runs go on and end with the same bytes'
	@echo 'make fuzz      SECONDS=$(SECONDS): each reader of files under libFuzzer for so long, by clang'
	@echo 'make bench     one exchange for all clients against one each, quick form, on two ranks'
	@echo 'make results   what fits in 30 minutes of the papers, on simulated machines of up to 1,024 ranks'
	@echo 'make docs      the book and the reference of the library, into build/docs; make docs-links: asks external links'
	@echo 'make python    the Python part and its environment, into .venv'
	@echo 'make install   PREFIX=$(PREFIX): library, headers, programs'
	@echo 'make format    clang-format; make check-format: whether it would change something; make lint: clang-tidy'
	@echo 'make clean     remove build/'
	@echo 'Missing Debian packages are installed (as root, or by sudo without a password): tools/packages-*.txt.'

demo:
	@tools/setup demo
	@tools/setup-python
	@tools/build release $$($(has_all) || echo -DWEFT_APPS=flow -DWEFT_TESTS=OFF) weft_cli weft-flow
	$(MPIRUN) -n 2 build/release/weft flow examples/aneurysm/case.toml

build:
	@tools/setup demo test
	@tools/build release weft programs weft_advise examples

python:
	@tools/setup demo
	@tools/setup-python

validation: build python
	.venv/bin/python -m weft.validation $(if $(LONG),--long) -- $(MPIRUN) -n 2 build/release/weft

quick:
	@tools/setup demo test
	@tools/build release
	@tools/quick

test:
	@tools/setup demo test
	@tools/build release
	@ctest --preset release --parallel $$((3 * $(JOBS)))

check:
	@tools/check

check-mpich:
	@tools/setup demo test check
	@tools/build mpich
	@ctest --preset mpich --parallel $(JOBS)

# The simulator's own build is what tests/apps/simulate runs.
check-python:
	@tools/setup demo test
	-@tools/setup docs
	-@tools/setup simulate
	@tools/setup-python test
	@if [ -d /usr/include/smpi ] || [ -d /usr/local/include/smpi ]; then tools/build smpi; else tools/not-checked 'simulated machines (SimGrid is not here)'; fi
	@command -v doxygen >/dev/null || tools/not-checked 'the reference (Doxygen is not here)'
	@.venv/bin/python -m unittest discover -s tests/python
	@ctest --preset release --tests-regex '^simulate$$'

check-browser:
	-@tools/setup browser
	@tools/setup-python test
	@command -v chromium >/dev/null || tools/not-checked 'the pages in a browser (chromium is not here)'
	@.venv/bin/python -m unittest discover -s tests/browser

# Ranks of OpenMPI yield where they wait, so that two tests may share the cores; MPICH's spin, and sanitizers don't wait.
sanitize:
	@tools/setup demo test
	@for preset in tsan asan; do tools/sanitize $$preset || exit 1; done

clang:
	@tools/setup demo test develop
	@tools/build clang
	ctest --preset clang --parallel $(JOBS) --tests-regex '^weft[.]'

kills: build
	sh tests/apps/cli/kills.sh $(KILLS) build/release/weft $(CURDIR) $(MPIRUN) -n 3

fuzz:
	@tools/setup demo test develop
	@tools/build fuzz fuzzers
	tests/fuzz/run $(SECONDS)

bench: build
	$(MPIRUN) -n 2 build/release/weft bench coalesce --quick

results:
	@tools/setup demo simulate
	@tools/build smpi
	tools/simulate-papers build/results

docs docs-links:
	@tools/setup demo docs
	tools/setup-python docs
	tools/build-docs $(if $(findstring links,$@),linkcheck)

install: build
	cmake --install build/release --prefix $(PREFIX)

format:
	@tools/setup format
	clang-format -i $(SOURCES)

# Versions of clang-format differ in what they make of the same style: only the one that made the sources judges them.
check-format:
	-@tools/setup format
	@case "$$(clang-format --version 2>/dev/null)" in \
	  *'version 14.'*) clang-format --dry-run --Werror $(SOURCES) ;; \
	  *) tools/not-checked 'the format (clang-format 14 is not here)' ;; \
	esac

lint:
	@tools/setup demo test develop
	cmake --preset release
	run-clang-tidy -quiet -p build/release -j $(JOBS) '(libs|apps)/.*\.cpp'

clean:
	rm -rf build
