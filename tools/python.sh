#!/usr/bin/env bash
# Print the Python to use: $PYTHON, else the distribution's own, which every supported system has,
# else another one on PATH that is new enough. Exit status 1 where there is none.
set -euo pipefail
for candidate in ${PYTHON:+"$PYTHON"} /usr/bin/python3 python3 python3.13 python3.12 python3.11; do
    if "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
        command -v "$candidate"
        exit
    fi
    [ "$candidate" != "${PYTHON:-}" ] || break
done
exit 1
