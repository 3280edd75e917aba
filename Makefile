# Everything runs in this checkout's own virtual environment; PYTHON may name another interpreter (3.11 or newer).
PYTHON ?= python3
BIN := .venv/bin
WORKERS ?= auto

.PHONY: demo test lint lock clean

.venv/base: requirements.lock pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@

.venv/dev: requirements-dev.lock pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-dev.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch .venv/base $@

demo: .venv/base  ## evaluate the bundled sample with the model that needs no key
	@rm -rf logs/demo
	$(BIN)/inspect eval graphniah_inspect/graphniah -T dataset=sample --model graphniah/oracle --log-dir logs/demo --display plain
	@echo
	@echo "The log is in logs/demo. Open it in the browser with:"
	@echo "    $(BIN)/inspect view --log-dir logs/demo"

test: .venv/dev
	$(BIN)/python -m pytest -n $(WORKERS)

lint: .venv/dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/inspect-evals-lint --preset single-eval --all

lock: .venv/dev  ## resolve the newest versions; needs uv (pip install uv)
	uv pip compile --universal --python-version 3.11 --generate-hashes --no-emit-index-url --custom-compile-command "make lock" --upgrade --group base-lock pyproject.toml -o requirements.lock
	uv pip compile --universal --python-version 3.11 --generate-hashes --no-emit-index-url --custom-compile-command "make lock" --upgrade -c requirements.lock --all-extras --group dev pyproject.toml -o requirements-dev.lock

clean:
	rm -rf .venv logs dist
