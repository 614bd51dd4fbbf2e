#!/usr/bin/env bash
# Make or refresh a virtual environment from a lock file, and install tailsight into it.
# Usage: tools/venv.sh FOLDER LOCK...        e.g. tools/venv.sh .venv requirements/dev.lock
# Does nothing when the environment was already made from the same locks and interpreter.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=$1
shift
python=${PYTHON:-}
stamp=$folder/.made-from

choose_python() { # the distribution's own first: it is the one that every supported system has
    local candidate
    for candidate in /usr/bin/python3 python3 python3.13 python3.12 python3.11; do
        if "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
            command -v "$candidate"
            return
        fi
    done
    return 1
}

if [ -z "$python" ]; then
    tools/ensure.sh python3=python3
    python=$(choose_python) || {
        echo "tailsight needs Python 3.11 or newer; none found. Set PYTHON=/path/to/python3." >&2
        exit 1
    }
fi

# What of pyproject.toml an installation depends on: a new lint rule remakes nothing.
project='import sys, tomllib; d = tomllib.load(open("pyproject.toml", "rb"))
print(sys.version, sys.prefix, d["project"], d["build-system"], d["tool"]["hatch"])'
wanted=$({ "$python" -c "$project"; pwd; cat "$@"; } | sha256sum)
if [ -x "$folder/bin/tailsight" ] && [ "$(cat "$stamp" 2>/dev/null)" = "$wanted" ]; then
    exit 0
fi

# Debian and Ubuntu ship `venv` without `ensurepip` unless python3-venv is installed.
if ! "$python" -c 'import ensurepip, venv' 2>/dev/null; then
    version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
    tools/ensure.sh --package "python$version-venv"
fi

echo "Making $folder with $("$python" --version) from $*" >&2
requirements=()
for lock in "$@"; do requirements+=(-r "$lock"); done
export PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_ROOT_USER_ACTION=ignore
rm -f "$stamp"
"$python" -m venv --clear "$folder"
"$folder/bin/pip" install --quiet --require-hashes --only-binary :all: "${requirements[@]}"
"$folder/bin/pip" install --quiet --no-deps --no-build-isolation --editable .
echo "$wanted" >"$stamp"
