#!/usr/bin/env bash
# Pin every dependency by version and hash for Python >= 3.11 on any Linux: requirements/*.lock.
# Usage: tools/lock.sh [uv options such as --upgrade]      (uv from the development environment)
set -euo pipefail
cd "$(dirname "$0")/.."
uv=${UV:-.venv/bin/uv}

compile() { # OUTPUT ARGUMENT...
    local output=requirements/$1.lock
    shift
    "$uv" pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header \
        --no-strip-extras --no-emit-index-url --no-emit-find-links --output-file "$output" "$@"
}

compile agent pyproject.toml "$@"
# The same versions in all three, so that what is tested is what runs.
compile build --group build --constraint requirements/agent.lock "$@"
compile dev pyproject.toml --group test \
    --constraint requirements/agent.lock --constraint requirements/build.lock "$@"
