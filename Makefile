# Every target sets up what it needs on a machine that has only Python >= 3.11 and make.

.DEFAULT_GOAL := help
.PHONY: help run dev test check fix bench migrate doctor fake-llm clean browser

VENV := .venv
RUNTIME := $(VENV)/.runtime-installed
TOOLS := $(VENV)/.tools-installed
PYTHON := $(VENV)/bin/python
PIP_INSTALL := $(PYTHON) -m pip install -qq --disable-pip-version-check

# bun and the tools come from the virtual environment.
export PATH := $(CURDIR)/$(VENV)/bin:$(PATH)
export VIRTUAL_ENV := $(CURDIR)/$(VENV)
unexport PYTHONPATH PYTHONHOME

help: ## list these commands
	@sed -n 's/^\([a-z-]*\):.* ## \(.*\)/  make \1|\2/p' Makefile | while IFS='|' read -r name words; \
		do printf '%-18s %s\n' "$$name" "$$words"; done

run: $(RUNTIME) ## serve the assistant on http://127.0.0.1:8000 (or PORT=...)
	@$(PYTHON) -m assistant serve $(if $(PORT),--port $(PORT))

dev: $(RUNTIME) ## run with hot reload: page on port 3000, API on port 8000
	@$(PYTHON) -m assistant dev

test: $(TOOLS) $(if $(ARGS),,browser) ## run all tests (ARGS="tests/unit -k offset" for some)
	@$(PYTHON) -m pytest $(if $(ARGS),$(ARGS),--numprocesses 2)

check: $(TOOLS) ## lint, format, types, import arrows, migrations, file lengths
	@ruff check .
	@ruff format --check .
	@ty check
	@lint-imports --no-logo
	@data=$$(mktemp -d) && trap 'rm -rf "$$data"' EXIT && export ASSISTANT_DATA_DIR="$$data" \
		&& unset ASSISTANT_DATABASE_URL && $(PYTHON) -m assistant migrate && $(PYTHON) -m alembic check
	@long=$$(find assistant tests -name '*.py' -exec wc -l {} + | awk '$$1 > 350 && $$2 != "total"'); \
		if [ -n "$$long" ]; then echo "Longer than 350 lines, so with two purposes:"; echo "$$long"; exit 1; fi

fix: $(TOOLS) ## format, and mend what the linter can mend
	@ruff check --fix --quiet . || true
	@ruff format .

bench: $(TOOLS) ## measure the figures that the design promises
	@$(PYTHON) -m tests.bench $(ARGS)

migrate: $(RUNTIME) ## bring the database to the newest schema
	@$(PYTHON) -m assistant migrate

doctor: $(RUNTIME) ## say what is configured and what can be reached
	@$(PYTHON) -m assistant doctor

fake-llm: $(TOOLS) ## run the scripted model provider of the tests
	@$(PYTHON) -m tests.support.llm_server $(ARGS)

clean: ## remove everything made, but for the data in .data
	rm -rf $(VENV) .web .states .hypothesis .pytest_cache .ruff_cache .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

browser: $(TOOLS)
	@sh .ci/browser

$(VENV)/pyvenv.cfg:
	@rm -rf $(VENV); \
	for candidate in python3 python3.13 python3.12 python3.11 python; do \
		if $$candidate -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; \
		then python=$$candidate; break; fi; \
	done; \
	if [ -z "$$python" ]; then echo "Python 3.11 or newer is needed, and none is on PATH." >&2; exit 1; fi; \
	if ! $$python -c 'import ensurepip, venv' 2>/dev/null; then \
		echo "$$python cannot make virtual environments. On Debian or Ubuntu: apt-get install python3-venv" >&2; \
		exit 1; fi; \
	echo "Making $(VENV) with $$($$python --version) ..."; \
	$$python -m venv $(VENV)

$(RUNTIME): requirements.txt $(VENV)/pyvenv.cfg
	@echo "Installing the packages of requirements.txt ..."
	@$(PIP_INSTALL) -r requirements.txt
	@touch $@

$(TOOLS): requirements-dev.txt $(RUNTIME)
	@echo "Installing the packages of requirements-dev.txt ..."
	@$(PIP_INSTALL) -r requirements-dev.txt
	@touch $@
