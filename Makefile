VENV ?= .venv
PYTHON ?= python3
TORCH ?= torch==2.13.0
BIN := $(VENV)/bin
# A pod whose Python has torch keeps it: the environment then sees the pod's packages and pins nothing over them.
HAS_TORCH := $(shell $(PYTHON) -c 'import importlib.util as u; print(1 if u.find_spec("torch") else "")' 2>/dev/null)
VENV_FLAGS := $(if $(HAS_TORCH),--system-site-packages,)
CONSTRAINTS := $(if $(HAS_TORCH),,-c constraints.txt)

setup: $(VENV)/.done

$(VENV)/.done: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV_FLAGS) $(VENV)
	$(BIN)/python -c 'import torch' 2>/dev/null || $(BIN)/python -m pip install -q '$(TORCH)'
	$(BIN)/python -m pip install -q -e '.[test]' $(CONSTRAINTS)
	touch $@

.PHONY: setup
