# make build | make demo | make test. Each does its own set-up on a fresh Debian 12 machine.
BUILD ?= build
export CCACHE_SLOPPINESS = pch_defines,time_macros,include_file_mtime,include_file_ctime

.PHONY: build demo test setup clean
setup:
	@scripts/setup

build: setup
	@cmake -S . -B $(BUILD) -G Ninja >/dev/null
	@echo "build: compiling (a first build takes some minutes, later ones seconds)"
	@cmake --build $(BUILD) --target iceblink

clean:
	rm -rf $(BUILD)
