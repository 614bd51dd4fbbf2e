#!/usr/bin/env bash
# Make or refresh a virtual environment from a lock file, and install tailsight into it.
# Usage: tools/venv.sh FOLDER LOCK...        e.g. tools/venv.sh .venv requirements/dev.lock
# Does nothing when the environment was already made from the same locks and interpreter.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=$1
shift
stamp=$folder/.made-from

tools/system.sh python
python=$(tools/python.sh) || {
    echo "tailsight needs Python 3.11 or newer; none found. Set PYTHON=/path/to/python3." >&2
    exit 1
}

# What of pyproject.toml an installation depends on: a new lint rule remakes nothing.
project='import sys, tomllib; d = tomllib.load(open("pyproject.toml", "rb"))
print(sys.version, sys.prefix, d["project"], d["build-system"], d["tool"]["hatch"])'
wanted=$({ "$python" -c "$project"; pwd; cat "$@"; } | sha256sum)
if [ -x "$folder/bin/tailsight" ] && [ "$(cat "$stamp" 2>/dev/null)" = "$wanted" ]; then
    exit 0
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
