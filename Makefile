# SPDX-License-Identifier: BSD-3-Clause
# Short names for the presets of CMakePresets.json and the tools in tools/. Builds are in build/PRESET.
PREFIX ?= /usr/local
JOBS ?= $(shell nproc)
SECONDS ?= 60
PROGRAMS ?= 10000
KILLS ?= 100
SOURCES = $(shell git ls-files '*.cpp' '*.hpp' 'examples/*.[ch]' 'core/c/*.[ch]')
export JOBS

# Debian's mpirun may belong to either MPI library. The release preset builds with Open MPI.
MPIRUN ?= $(or $(shell command -v mpirun.openmpi),mpirun)
ifeq ($(shell id -u),0)
export OMPI_ALLOW_RUN_AS_ROOT = 1
export OMPI_ALLOW_RUN_AS_ROOT_CONFIRM = 1
export PRTE_ALLOW_RUN_AS_ROOT = 1
export PRTE_ALLOW_RUN_AS_ROOT_CONFIRM = 1
endif
# Allows more ranks than cores.
export OMPI_MCA_rmaps_base_oversubscribe = 1
export OMPI_MCA_mpi_yield_when_idle = 1

# `make demo` configures only what `weft flow` needs, except if build/release is already configured with all.
has_all = grep -qs '^WEFT_BUILD:.*=all' build/release/CMakeCache.txt
# The house that `make quick HOUSE=core` builds and tests (default: all).
HOUSE ?=

# The case is coarser and shorter in the demo, which then takes seconds. As in python/weft/_launcher.py.
COARSE = --set 'surface.voxel="0.18 mm"' --set 'lattice.time_step="47 us"' --set 'run.duration="200 ms"'

.PHONY: help wheel release deb try-wheel check-wheel build python demo validation quick test check model check-arm check-mpich check-shared check-python python-modules check-browser sanitize clang kills fuzz measure \
  results docs docs-links install format check-format lint clean

help:
	@echo 'make demo        builds weft flow, and runs blood flow in an aneurysm on two ranks'
	@echo 'make build       builds library and programs with Open MPI, optimised, into build/release'
	@echo 'make install     installs library, headers and programs into PREFIX=$(PREFIX)'
	@echo 'make python      installs the Python package and its environment into .venv'
	@echo 'make python-modules  builds the extension modules of the Python package into build/release/python'
	@echo 'make wheel       builds the Python package for all MPI libraries, which runs on other machines, into dist/'
	@echo 'make try-wheel   installs and runs the wheel as a new user in a root folder without compilers and MPI (needs root)'
	@echo 'make release     makes changes, source archive, wheels and checksums of the last commit in dist/'
	@echo 'make deb         makes Debian packages of the library in build/deb, and checks them with lintian'
	@echo 'make docs        builds the book and the reference into build/docs; make docs-links checks external links'
	@echo 'make quick       runs the short tests of every library, for every change; HOUSE=core: builds and tests only that house'
	@echo 'make test        runs all tests of library and programs, with Open MPI'
	@echo 'make check       runs all that a change has to pass: both MPI libraries, sanitizers, Python, browser, documents, format'
	@echo 'make model       searches all states of the model of failures (docs/design/failure.pml), with spin'
	@echo 'make check-arm   compiles core and lattice for 64-bit Arm, and runs their tests in qemu, with each length of vectors'
	@echo 'make sanitize    runs the tests with the address, undefined-behaviour and thread sanitizers'
	@echo 'make clang       builds the core and its tests with clang (a warning is an error), and runs them'
	@echo 'make kills       kills ranks of flow, wave and box at KILLS=$(KILLS) random times, and checks that restarted runs end bitwise identical'
	@echo 'make fuzz        runs each reader of files under libFuzzer for SECONDS=$(SECONDS), and PROGRAMS=$(PROGRAMS) random programs'
	@echo 'make validation  compares blood flow with known solutions (docs/validation.md; LONG=yes: hours), and weft run with known losses of overlap (an hour)'
	@echo 'make measure     measures the figures of README and docs/results.md beside plain MPI and other programs (40 minutes, quiet)'
	@echo 'make results     runs the experiments of the papers that fit in 30 minutes, on simulated machines'
	@echo 'make format      formats with clang-format; make check-format only checks; make lint runs clang-tidy'
	@echo 'make clean       removes build/'
	@echo 'JOBS=$(JOBS) is the number of compilers, and of tests, at a time. Debian packages of tools/packages-*.txt that are missing are'
	@echo 'installed as root, or with sudo if that needs no password. Documentation: CONTRIBUTING.md'

demo:
	@tools/setup demo
	@tools/setup-python
	@tools/build release $$($(has_all) || echo -DWEFT_BUILD=flow -DWEFT_TESTS=OFF) weft_cli weft-flow
	$(MPIRUN) -n 2 build/release/weft flow examples/aneurysm/case.toml $(COARSE)

build:
	@tools/setup demo test
	@tools/build release libraries programs weft_advise examples

python:
	@tools/setup demo
	@tools/setup-python

wheel:
	@tools/setup demo test
	@tools/wheel

try-wheel: wheel
	@tools/setup wheel
	@tools/try-wheel $$(ls -t dist/weft_mpi-*.whl | head -n 1)

check-wheel:
	-@tools/setup wheel
	@if [ "$$(id -u)" -eq 0 ] && command -v debootstrap >/dev/null && \
	  python3 -m pip download --quiet --no-deps --dest build/wheel/reached mpich >/dev/null 2>&1; then $(MAKE) --no-print-directory try-wheel; \
	else tools/not-checked 'the wheel in an empty root folder (needs root, debootstrap and the package index)'; fi

release:
	@tools/setup demo test
	@tools/release

deb:
	@tools/setup deb
	@tools/deb

validation: build python
	.venv/bin/python -m weft.validation $(if $(LONG),--long) -- $(MPIRUN) -n 2 build/release/weft
	@tools/setup-python test
	.venv/bin/python profile/tests/study/study.py build/release/weft-run || [ $$? -eq 77 ]

quick:
	@tools/setup demo test
	@tools/build release $(if $(HOUSE),$(HOUSE)_tests)
	@HOUSE=$(HOUSE) tools/quick

test:
	@tools/setup demo test
	@tools/build release
	@ctest --preset release --parallel $$((3 * $(JOBS)))

check:
	-@tools/setup fortran
	@tools/check

model:
	-@tools/setup model
	@tools/model

check-arm:
	-@tools/setup demo arm
	@tools/arm

check-mpich:
	@tools/setup demo test check
	@tools/setup-python test
	@tools/build mpich
	@ctest --preset mpich --parallel $(JOBS)
	@tools/build mpich -DWEFT_PYTHON=ON -DPython_EXECUTABLE=$(CURDIR)/.venv/bin/python weft_python
	@WEFT_TEST_MPI=mpich .venv/bin/python -m unittest discover -s python/tests -p 'test_binding_*'
	@WEFT_TEST_MPI=mpich .venv/bin/python -m unittest discover -s python/tests -p 'test_case_runs*'

# Another project with the core as shared libraries.
check-shared:
	@tools/setup demo test
	@mkdir -p build && cmake -P tests/install/shared/check.cmake >build/shared.log 2>&1 || { tail -n 40 build/shared.log; exit 1; }

# The Python modules of the source tree, for the interpreter of .venv (docs/python/index.md).
python-modules:
	@tools/setup demo test
	@tools/setup-python test
	@tools/build release -DWEFT_PYTHON=ON -DPython_EXECUTABLE=$(CURDIR)/.venv/bin/python weft_python

# bench/tests/simulate runs the build of the preset smpi.
check-python:
	@tools/setup demo test
	-@tools/setup docs
	-@tools/setup simulate
	@tools/setup-python test
	@tools/build release -DWEFT_PYTHON=ON -DPython_EXECUTABLE=$(CURDIR)/.venv/bin/python weft_python
	@if [ -d /usr/include/smpi ] || [ -d /usr/local/include/smpi ]; then tools/build smpi; else tools/not-checked 'simulated machines (SimGrid is not installed)'; fi
	@command -v doxygen >/dev/null || tools/not-checked 'the reference (Doxygen is not installed)'
	@.venv/bin/python -m unittest discover -s python/tests
	@ctest --preset release --tests-regex '^simulate$$'

check-browser:
	-@tools/setup browser
	@tools/setup-python test
	@command -v chromium >/dev/null || tools/not-checked 'the pages in a browser (chromium is not installed)'
	@.venv/bin/python -m unittest discover -s flow/tests/browser

# With Open MPI several tests may share the cores, since waiting ranks yield. MPICH's ranks spin, and under sanitizers ranks hardly wait.
sanitize:
	@tools/setup demo test
	@for preset in tsan asan; do tools/sanitize $$preset || exit 1; done

clang:
	@tools/setup demo test develop
	@tools/build clang
	ctest --preset clang --parallel $(JOBS) --tests-regex '^weft[.]'

kills: build
	sh tests/cli/kills.sh $(KILLS) build/release/weft $(CURDIR) $(MPIRUN) -n 3

fuzz:
	@tools/setup demo test develop
	@tools/build fuzz fuzzers
	tests/fuzz/run $(SECONDS)
	@tools/build asan weft_test
	WEFT_TEST_PROGRAMS=$(PROGRAMS) build/asan/weft_test --gtest_filter='RandomMisuse*'
	@tools/setup-python test
	@tools/build release weft_advise advise_programs
	WEFT_TEST_PROGRAMS=$$(($(PROGRAMS) / 40)) ctest --preset release --tests-regex '^advise[.]random'

measure:
	@tools/setup demo test measure
	@tools/setup-python test
	@tools/build release -DWEFT_PYTHON=ON -DPython_EXECUTABLE=$(CURDIR)/.venv/bin/python -DWEFT_FFTW=link libraries programs weft_advise tutorial weft_python
	-@tools/setup simulate && tools/build smpi
	@tools/measure --prepare
	@tools/measure

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

# Versions of clang-format format differently, so the sources are only checked with the version that formatted them.
check-format:
	-@tools/setup format
	@case "$$(clang-format --version 2>/dev/null)" in \
	  *'version 14.'*) clang-format --dry-run --Werror $(SOURCES) ;; \
	  *) tools/not-checked 'the format (clang-format 14 is not installed)' ;; \
	esac

lint:
	@tools/setup demo test develop
	cmake --preset release
	run-clang-tidy -quiet -p build/release -j $(JOBS) '(core|frame|flow|programs|profile|bench)/.*\.cpp'

clean:
	rm -rf build
