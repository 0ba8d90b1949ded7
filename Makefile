# make build | demo | test | interop | suites | bench. Each does its own set-up on a fresh Debian 12 machine, and costs little
# when run again.
BUILD ?= build
# Objects are shared by every checkout of this machine.
export CCACHE_SLOPPINESS = pch_defines,time_macros,include_file_mtime,include_file_ctime
export CCACHE_BASEDIR = $(CURDIR)
export CCACHE_NOHASHDIR = 1

.PHONY: build demo test interop suites sanitize bench clean

build:
	@scripts/setup
	@cmake -S . -B $(BUILD) -G Ninja >/dev/null
	@echo "build: compiling (a first build takes some minutes, later ones seconds)"
	@cmake --build $(BUILD) --target iceblink

demo: build
	@BUILD=$(BUILD) scripts/demo

test:
	@scripts/setup --test
	@cmake -S . -B $(BUILD) -G Ninja >/dev/null
	@echo "test: compiling the program and its tests"
	@cmake --build $(BUILD)
	@test/run --build $(BUILD)

# The same hand-overs with real Spark, and with Spark, PyIceberg, DuckDB and Trino on our REST catalog: the first run fetches
# them (about 1.7 GB). Trino wants Java 24 or newer and is skipped without.
interop: build
	@scripts/setup --peers
	@ICEBLINK=$(abspath $(BUILD))/iceblink .venv-spark/bin/python -m pytest -q -rs -p no:cacheprovider test/interop

# Outside suites against the program: Iceberg's REST compatibility kit.
suites: build
	@test/run_suites --build $(BUILD)

# Unit tests under AddressSanitizer and UndefinedBehaviorSanitizer.
sanitize:
	@scripts/setup --test
	@cmake -S . -B build-sanitize -G Ninja -DCMAKE_BUILD_TYPE=Dev -DICEBLINK_SANITIZE=ON >/dev/null
	@cmake --build build-sanitize
	@test/run --build build-sanitize unit

bench: build
	@bench/run --build $(BUILD)

clean:
	rm -rf $(BUILD) build-sanitize
