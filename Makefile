# What a person types while working on this project. `make demo` and `make test` set up what they need by themselves.
PYTHON ?= python3
BIN := .venv/bin
SETUP := $(PYTHON) -m venv .venv && $(BIN)/pip install --quiet --disable-pip-version-check --editable
DEMO := $(BIN)/chattykg roundtrip --kg demo --dialogues 5 --turns 5
TEST := $(BIN)/pytest -n auto --dist loadgroup

.PHONY: demo test quick golden gate check format figures clean say-demo say-test

demo: say-demo .venv/.core
	@$(DEMO)

test: say-test .venv/.dev
	@$(TEST)

quick: .venv/.dev
	@$(TEST) -m "not slow"

golden: .venv/.dev
	@$(BIN)/python tests/golden/rewrite.py $(ONLY)

say-demo:
	@echo '$(SETUP) . && $(DEMO)'

say-test:
	@echo "$(SETUP) '.[dev]' && $(TEST)"

check: .venv/.dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: .venv/.dev
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

.venv/.core: pyproject.toml
	@test -e .venv/.dev && test .venv/.dev -nt pyproject.toml || { $(SETUP) .; }
	@touch $@

.venv/.dev: pyproject.toml
	@$(SETUP) '.[dev]'
	@touch $@ .venv/.core

figures: .venv/.dev
	@$(BIN)/python benchmarks/figures.py $(ARGS)

gate: .venv/.dev
	@$(BIN)/python benchmarks/gate.py $(if $(QUICK),--quick) $(ARGS)

clean:
	rm -rf .venv dist build .mypy_cache .ruff_cache .pytest_cache .import_linter_cache
