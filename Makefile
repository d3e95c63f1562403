# Thin, over CMake's presets: `make` builds build/palimpsest, `make test` runs every check that CI runs.

PREFIX ?= /usr/local
JOBS ?= $(shell nproc)

.PHONY: all deps test-deps build test fuzz slow demo bench install format lint clean

all: deps build

deps:
	@scripts/install-deps.sh

test-deps:
	@scripts/install-deps.sh --tests

build:
	cmake --preset release -Wno-dev
	cmake --build --preset release -j $(JOBS)
	@ln -sfn release/bin/palimpsest build/palimpsest
	@echo "The program is build/palimpsest."

test: all test-deps
	scripts/format.sh --check
	ctest --preset release -j $(JOBS)
	cmake --preset asan-ubsan -Wno-dev
	cmake --build --preset asan-ubsan -j $(JOBS)
	ctest --preset asan-ubsan -j $(JOBS)
	@if scripts/has-libfuzzer.sh; then $(MAKE) --no-print-directory fuzz; \
	else echo "No clang with libFuzzer (apt-get install clang libclang-rt-14-dev): the fuzzers' short run is left out."; fi

fuzz:
	cmake --preset fuzz -Wno-dev
	cmake --build --preset fuzz -j $(JOBS)
	ctest --preset fuzz -j $(JOBS)

slow: all
	ctest --preset slow -j $(JOBS)

demo: all
	@build/palimpsest demo --out palimpsest-demo

bench: all
	@bench/run.sh build/release/bench

install: all
	cmake --install build/release --prefix $(PREFIX)

format:
	scripts/format.sh

lint: all
	scripts/lint.sh build/release

clean:
	rm -rf build
