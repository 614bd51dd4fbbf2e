#!/usr/bin/env bash
# Fetch apt's package lists anew, as root or with sudo that asks for no password; else fail.
set -euo pipefail
as_root=()
[ "$(id -u)" = 0 ] || as_root=(sudo -n)
"${as_root[@]}" apt-get -qq update </dev/null >&2
