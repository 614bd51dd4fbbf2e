# Every target works from nothing: it makes its environment and says what the system lacks.
SHELL := /bin/bash
.DEFAULT_GOAL := help
ARGS ?=
PYTHON_DEV := .venv/bin/python

.PHONY: help run test check bench golden generate lab lock venv tools machine clean

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: ## Start the agent on 127.0.0.1:9749 (ARGS="--root DIR ..." to add flags)
	@tools/venv.sh .venv-run requirements/agent.lock requirements/build.lock
	@exec .venv-run/bin/tailsight serve --listen 127.0.0.1:9749 $(ARGS)

test: tools venv ## Run every test but the lab's (ARGS="-k thermal" to choose)
	@$(PYTHON_DEV) -m pytest -q -m "not lab" $(ARGS)

check: venv ## Lint, formatting and types
	@tools/check.sh

bench: tools venv ## Measure against prometheus-node-exporter
	@$(PYTHON_DEV) -m tests.bench $(ARGS)

golden: venv ## Write the golden scrapes anew; read the diff before you commit
	@$(PYTHON_DEV) -m tests.golden.update $(ARGS)

generate: venv ## Write generated files anew
	@$(PYTHON_DEV) -m exporters.generate $(ARGS)

lab: machine venv ## Real incidents in kernels booted by QEMU: hot-plug, memory limits, kills, throttling, NUMA, clocks
	@$(PYTHON_DEV) -m pytest -q -m lab tests/lab $(ARGS)

lock: venv ## Pin the dependencies anew (ARGS=--upgrade for newer versions)
	@tools/lock.sh $(ARGS)

venv: ## Make the development environment, .venv
	@tools/venv.sh .venv requirements/dev.lock

tools: ## Install or unpack the programs that the tests use
	@tools/system.sh test

machine: ## Install or unpack what the lab boots
	@tools/system.sh lab

clean: ## Remove what the other targets made
	rm -rf .venv .venv-run .cache .coverage* .mypy_cache .pytest_cache .ruff_cache .hypothesis dist
