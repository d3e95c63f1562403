# Thin, over CMake's presets: `make` builds build/palimpsest, `make test` runs every check that CI runs.
# The program, its tests and the benchmarks share the folder build/release; docs/building.md says more.

PREFIX ?= /usr/local
JOBS ?= $(shell nproc)
# OFF leaves the Python package out of `make test`, for machines that cannot reach PyPI.
PYTHON ?= ON

.PHONY: all deps test-deps program test-programs test fuzz tsan slow cluster-test python-test python-slow wheel demo bench install dist format lint docs clean
.NOTPARALLEL:

all: program

# Only deps, demo, test, cluster-test, bench, lint and docs install packages; `make` and `make install` never do.
deps:
	@scripts/install-deps.sh

program:
	cmake --preset program -Wno-dev
	cmake --build --preset program -j $(JOBS)
	@ln -sfn release/bin/palimpsest build/palimpsest
	@echo "The program is build/palimpsest."

test-programs:
	cmake --preset release -Wno-dev
	cmake --build --preset release -j $(JOBS)
	@ln -sfn release/bin/palimpsest build/palimpsest

test-deps:
	@scripts/install-deps.sh --tests
	@scripts/fetch-axe.sh build/axe

test: test-deps test-programs
	scripts/format.sh --check
	ctest --preset release -j $(JOBS)
	@$(MAKE) --no-print-directory python-test
	cmake --preset sanitizers -Wno-dev
	cmake --build --preset sanitizers -j $(JOBS)
	scripts/ctest-once.sh sanitizers -j $(JOBS)

fuzz:
	cmake --preset sanitizers -Wno-dev
	cmake --build --preset fuzz -j $(JOBS)
	ctest --preset fuzz -j $(JOBS)

tsan:
	cmake --preset tsan -Wno-dev
	cmake --build --preset tsan -j $(JOBS)
	ctest --preset tsan -j $(JOBS)

slow: test-programs
	ctest --preset slow -j $(JOBS)

# The examples for Slurm, submitted to a real one that is started on this machine and stopped again.
cluster-test:
	@scripts/install-deps.sh --cluster
	cmake --preset program -Wno-dev
	cmake --build --preset program -j $(JOBS)
	PALIMPSEST=$(CURDIR)/build/release/bin/palimpsest python3 -B tests/cluster/slurm_test.py

# The Python package, in a fresh virtual environment, and a wheel of it for other machines. They take build tools from PyPI.
python-test: program
ifeq ($(PYTHON),OFF)
	@echo "PYTHON=OFF: the Python package is left out."
else
	CMAKE_BUILD_PARALLEL_LEVEL=$(JOBS) scripts/python.sh test
endif

python-slow: program
	CMAKE_BUILD_PARALLEL_LEVEL=$(JOBS) scripts/python.sh slow

wheel:
	CMAKE_BUILD_PARALLEL_LEVEL=$(JOBS) scripts/python.sh wheel

demo: deps program
	@build/palimpsest demo --out palimpsest-demo

bench:
	@scripts/install-deps.sh --bench
	cmake --preset bench -Wno-dev
	cmake --build --preset bench -j $(JOBS)
	@bench/run.sh build/release/bench

install: program
	cmake --install build/release --prefix $(PREFIX)

# An archive and a .deb of the static program, unpacked and tried.
dist:
	cmake --preset dist -Wno-dev
	cmake --build --preset dist -j $(JOBS)
	@cmake -E rm -rf build/dist/packages
	cpack --preset dist
	@cmake -E rm -rf build/dist/packages/_CPack_Packages
	@scripts/check-dist.sh build/dist/packages

format:
	scripts/format.sh

lint:
	@scripts/install-deps.sh --lint
	cmake --preset release -Wno-dev -DPALIMPSEST_BENCH=ON $(if $(filter-out OFF,$(PYTHON)),$$(scripts/python.sh configure))
	JOBS=$(JOBS) scripts/lint.py build/release

# The documentation as a site that can be searched, with the reference of the public headers in it. A warning of
# Doxygen's or of mkdocs' fails.
docs:
	@scripts/install-deps.sh --docs
	@mkdir -p build
	doxygen docs/reference/Doxyfile
	mkdocs build --strict --quiet
	@cp -r build/docs/html build/site/api
	@echo "The site is build/site/index.html. To search it: python3 -m http.server --directory build/site"

clean:
	rm -rf build
