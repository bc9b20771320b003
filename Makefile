# `make demo` and `make test` set everything up in .venv from a bare clone.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
DEMO := demo
export OMP_NUM_THREADS := 1
export NUMBA_NUM_THREADS := 1
# PNGs are drawn by Debian's Chromium; another browser can be named here.
export BROWSER_PATH ?= $(shell command -v chromium || command -v chromium-browser || command -v google-chrome)

.PHONY: demo test lint types unit slow bench browser gl postgres procgen clean

demo: $(READY) browser
	@rm -rf $(DEMO)
	$(BIN)/mohs diagnose q_learning --battery quick --seeds 50 --budget 10000 --out $(DEMO)/q_learning \
	  --store sqlite:///$(DEMO)/results.db $(if $(BROWSER_PATH),--png)
	$(BIN)/mohs diagnose dqn --battery quick --seeds 10 --budget 10000 --set hidden=[64] --out $(DEMO)/dqn \
	  --store sqlite:///$(DEMO)/results.db
	$(BIN)/mohs compare dqn q_learning --out $(DEMO)/comparison --store sqlite:///$(DEMO)/results.db
	$(BIN)/mohs card toy/discrete delay=2 FrozenLake-v1 is_slippery=False --out $(DEMO)/card $(if $(BROWSER_PATH),--png)
	@echo
	@echo "Open $(DEMO)/dqn/report.html, $(DEMO)/comparison/report.html and $(DEMO)/card/report.html in a browser."

test: $(READY) browser gl postgres procgen lint types unit

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(READY)
	$(BIN)/mypy

unit: $(READY)
	$(BIN)/pytest -n 2

slow: $(READY) browser
	$(BIN)/pytest -m slow

bench: $(READY)
	$(BIN)/python -m benchmarks.toy_discrete
	$(BIN)/python -m benchmarks.exact
	$(BIN)/python -m benchmarks.playground
	$(BIN)/python -m benchmarks.challenge

$(READY): pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet -c constraints.txt -e ".[dev]"
	touch $(READY)

# Static pictures need a browser. Where none is found and we may install one, Debian's package is taken.
browser:
	@command -v chromium >/dev/null 2>&1 || test -n "$(BROWSER_PATH)" || \
	  { test "$$(id -u)" = 0 && command -v apt-get >/dev/null 2>&1 && \
	    { apt-get update -qq; apt-get install -y -qq --no-install-recommends chromium >/dev/null; }; } || \
	  echo "no Chromium found: static pictures (--png) are skipped"

# Views of MuJoCo need OpenGL without a window.
gl:
	@ldconfig -p 2>/dev/null | grep -q libEGL_mesa || \
	  { test "$$(id -u)" = 0 && command -v apt-get >/dev/null 2>&1 && \
	    { apt-get update -qq; apt-get install -y -qq --no-install-recommends libegl1 libgl1-mesa-dri >/dev/null; }; } || \
	  echo "no OpenGL without a window found: views of MuJoCo are skipped"

# Tests of stores that machines share start a server of their own.
postgres:
	@ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || command -v initdb >/dev/null 2>&1 || \
	  { test "$$(id -u)" = 0 && command -v apt-get >/dev/null 2>&1 && \
	    { apt-get update -qq; apt-get install -y -qq --no-install-recommends postgresql >/dev/null; }; } || \
	  echo "no PostgreSQL found: its tests are skipped"

# Procgen's metadata ask for numpy 1 and the old gym; what mohs uses of it needs neither.
procgen: $(READY)
	$(BIN)/python -m pip install --quiet -c constraints.txt --no-deps procgen-mirror gym3
	$(BIN)/python -m pip install --quiet -c constraints.txt cffi imageio

clean:
	rm -rf $(VENV) $(DEMO) .mypy_cache .pytest_cache .ruff_cache .hypothesis
