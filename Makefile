# make sample      diagnose the shipped five-symptom incident   (does its own set-up)
# make test        everything that must pass                    (does its own set-up)
# make lab         JupyterLab with the notebooks;  make investigate INCIDENT=path  opens them on yours
# make check       lint, types and floors;  make format;  make notebooks;  make benchmark
VENV ?= .venv
PYTHON ?= python3
INCIDENT ?= sample_logs/five_symptoms
BIN := $(VENV)/bin
RUN := $(BIN)/python
# on a pod one is root, which JupyterLab refuses unless it is told
LAB := $(RUN) -m jupyterlab $(if $(filter 0,$(shell id -u)),--allow-root)

sample: $(VENV)/.done
	$(RUN) -m diagnostics diagnose sample_logs/five_symptoms

# faults of the machine mostly wait, so what only computes is tested beside them; its report comes when it has ended
FAULTS := tests/browser tests/checkpoints tests/faults tests/live tests/panels

test: tools check
	$(MAKE) --jobs=2 test-faults test-computing
	$(MAKE) notebooks

test-faults:
	$(RUN) -m pytest $(FAULTS)

test-computing:
	@$(RUN) -m pytest tests $(FAULTS:%=--ignore=%) > $(VENV)/test-computing.txt 2>&1; \
	status=$$?; cat $(VENV)/test-computing.txt; exit $$status

check: $(VENV)/.done
	$(RUN) -m ruff check .
	$(RUN) -m ruff format --check .
	$(RUN) -m mypy

format: $(VENV)/.done
	$(RUN) -m ruff check --fix .
	$(RUN) -m ruff format .

notebooks: $(VENV)/.done
	$(RUN) -m pytest --nbval --nbval-sanitize-with tests/nbval.cfg --nbval-cell-timeout=60 notebooks

lab: $(VENV)/.done
	$(LAB) notebooks

investigate: $(VENV)/.done
	$(LAB) "$$($(RUN) scripts/investigate.py "$(INCIDENT)")/01_triage.ipynb"

benchmark: $(VENV)/.done
	$(RUN) -m benchmarks

setup: $(VENV)/.done

$(VENV)/.done: pyproject.toml constraints.txt scripts/setup.py
	$(PYTHON) scripts/setup.py $(VENV)

# what the tests of real faults need; without root they are skipped with a reason
tools:
	sh scripts/install-test-tools.sh

.PHONY: sample test check format test-faults test-computing notebooks lab investigate benchmark setup tools
