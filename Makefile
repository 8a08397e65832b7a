# SPDX-License-Identifier: BSD-3-Clause
# Short names for what CMakePresets.json and tools/ do. Builds are in build/PRESET.
PREFIX ?= /usr/local
JOBS ?= $(shell nproc)
SECONDS ?= 60
SOURCES = $(shell git ls-files '*.cpp' '*.hpp')

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

preset_build = cmake --preset $(1) && cmake --build --preset $(1) --parallel $(JOBS)
# Ranks of OpenMPI yield where they wait, so that two tests may share the cores; MPICH's spin, and sanitizers don't wait.
preset_test = $(preset_build) && ctest --preset $(1) --parallel $(if $(findstring release,$(1)),$$((2 * $(JOBS))),$(JOBS))

.PHONY: help setup build python demo validation test sanitize clang fuzz bench results docs docs-links install format check-format lint clean

help:
	@echo 'make demo      set up, build, and run blood flow in an aneurysm on two ranks'
	@echo 'make validation  blood flow against known solutions: the tables and plots of docs/validation.md (minutes; LONG=yes: hours)'
	@echo 'make build     build with OpenMPI, optimised, into build/release'
	@echo 'make test      every test, with OpenMPI and with MPICH, and of the Python part'
	@echo 'make sanitize  the tests under the address, undefined-behaviour and thread sanitizers'
	@echo 'make clang     the core and its tests, built by clang without a warning'
	@echo 'make fuzz      SECONDS=$(SECONDS): each reader of files under libFuzzer for so long, by clang'
	@echo 'make bench     one exchange for all clients against one each, quick form, on two ranks'
	@echo 'make results   what fits in 30 minutes of the papers, on simulated machines of up to 1,024 ranks'
	@echo 'make docs      the book and the reference of the library, into build/docs; make docs-links: asks external links'
	@echo 'make python    the Python part and its environment, into .venv'
	@echo 'make install   PREFIX=$(PREFIX): library, headers, program'
	@echo 'make format    clang-format; make check-format: whether it would change something; make lint: clang-tidy'
	@echo 'make clean     remove build/'
	@echo 'Missing Debian packages are installed (as root, or by sudo without a password).'

setup:
	@tools/setup

build: setup
	$(call preset_build,release)

python: setup
	tools/setup-python

demo: build python
	$(MPIRUN) -n 2 build/release/weft flow examples/aneurysm/case.toml

validation: build python
	.venv/bin/python -m weft.validation $(if $(LONG),--long) -- $(MPIRUN) -n 2 build/release/weft

test: setup
	-@tools/setup packages-browser.txt
	-@tools/setup packages-docs.txt
	-@tools/setup packages-simulate.txt
	tools/setup-python test
	@if cmake --preset smpi >/dev/null 2>&1; then $(call preset_build,smpi); else echo 'No SimGrid: tests/simulate is skipped.'; fi
	$(call preset_test,release)
	$(call preset_test,mpich)
	.venv/bin/python -m unittest discover -s tests/python
	.venv/bin/python -m unittest discover -s tests/browser

sanitize: setup
	$(call preset_test,asan)
	$(call preset_test,tsan)

clang: setup
	$(call preset_build,clang)
	ctest --preset clang --parallel $(JOBS) --tests-regex core

fuzz:
	@tools/setup && tools/setup packages-fuzz.txt
	$(call preset_build,fuzz)
	tests/fuzz/run $(SECONDS)

bench: build
	$(MPIRUN) -n 2 build/release/weft bench coalesce --quick

results: setup
	@tools/setup packages-simulate.txt
	$(call preset_build,smpi)
	tools/simulate-papers build/results

docs docs-links:
	@tools/setup packages-docs.txt
	tools/setup-python docs
	tools/build-docs $(if $(findstring links,$@),linkcheck)

install: build
	cmake --install build/release --prefix $(PREFIX)

format:
	@tools/setup packages-format.txt
	clang-format -i $(SOURCES)

# Versions of clang-format differ in what they make of the same style: only the one that made the sources judges them.
check-format:
	-@tools/setup packages-format.txt
	@case "$$(clang-format --version 2>/dev/null)" in \
	  *'version 14.'*) clang-format --dry-run --Werror $(SOURCES) ;; \
	  *) echo 'clang-format 14 is not here: the format is not checked.' ;; \
	esac

lint: setup
	cmake --preset release
	run-clang-tidy -quiet -p build/release -j $(JOBS) 'src/.*\.cpp'

clean:
	rm -rf build
