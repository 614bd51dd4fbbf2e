#!/usr/bin/env bash
# Lint, formatting and types: every tool runs, then the worst answer counts.
set -uo pipefail
cd "$(dirname "$0")/.."
status=0
.venv/bin/ruff check || status=1
.venv/bin/ruff format --check || status=1
.venv/bin/mypy || status=1
exit $status
