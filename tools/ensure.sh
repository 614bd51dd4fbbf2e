#!/usr/bin/env bash
# Make sure that system programs exist: install what is missing, or say how to.
# Usage: tools/ensure.sh [COMMAND=PACKAGE | FILE-PATTERN=PACKAGE | --package PACKAGE]...
# As root, or with sudo that asks for no password, missing packages are installed with apt-get;
# otherwise the one line to run is printed and the exit status is 1.
set -euo pipefail

missing=()
while [ $# -gt 0 ]; do
    case $1 in
    --package)
        missing+=("$2")
        shift
        ;;
    /*=*) # a library or another file: the part before "=" is a glob
        compgen -G "${1%%=*}" >/dev/null || missing+=("${1#*=}")
        ;;
    *=*)
        PATH=$PATH:/usr/sbin:/sbin command -v "${1%%=*}" >/dev/null || missing+=("${1#*=}")
        ;;
    *)
        echo "ensure.sh: want COMMAND=PACKAGE, got $1" >&2
        exit 2
        ;;
    esac
    shift
done
[ ${#missing[@]} -eq 0 ] && exit 0

say_how() { # REASON
    echo "$1 Run this, then try again:" >&2
    echo "sudo apt-get install -y --no-install-recommends ${missing[*]}" >&2
    exit 1
}

if ! command -v apt-get >/dev/null; then
    echo "Missing programs, and no apt-get to install them. Debian's packages: ${missing[*]}" >&2
    exit 1
elif [ "$(id -u)" = 0 ]; then
    as_root=()
elif sudo -n true 2>/dev/null; then
    as_root=(sudo -n)
else
    say_how "Missing system packages."
fi

# A machine that was just started may be upgrading itself: wait for it. And on Ubuntu, needrestart
# would restart services that have nothing to do with this.
apt() {
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive NEEDRESTART_SUSPEND=1 \
        apt-get -qq -o Dpkg::Use-Pty=0 -o DPkg::Lock::Timeout=300 "$@" </dev/null >&2
}
install() { apt install -y --no-install-recommends "${missing[@]}"; }

echo "Installing ${missing[*]}" >&2
# The package lists may be empty (a container) or old: refresh them once if installing fails.
install 2>/dev/null || { apt update && install; } || say_how "Installing failed."
