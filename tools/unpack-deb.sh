#!/usr/bin/env bash
# Unpack Debian packages without installing them, so that none of their services starts.
# Usage: tools/unpack-deb.sh [FOLDER=]PACKAGE...       -> .cache/debs/FOLDER/{usr,...}
set -euo pipefail
cd "$(dirname "$0")/.."
cache=$PWD/.cache/debs
work=
trap 'rm -rf "$work"' EXIT

command -v apt-get >/dev/null || {
    echo "Cannot fetch $*: this needs apt-get (Debian or Ubuntu)." >&2
    exit 1
}

refresh() { # the package lists, once, where we may
    [ -z "${refreshed:-}" ] || return 1
    refreshed=yes
    if [ "$(id -u)" = 0 ]; then apt-get -qq update; else sudo -n apt-get -qq update; fi
} </dev/null

download() { # PACKAGE, into the folder $work
    (cd "$work" && apt-get -qq download "$1")
}

for wanted in "$@"; do
    folder=${wanted%%=*}
    package=${wanted#*=}
    [ -d "$cache/$folder" ] && continue
    echo "Unpacking $package into .cache/debs/$folder" >&2
    work=$(mktemp -d)
    chmod 777 "$work" # apt-get downloads as the user _apt
    download "$package" 2>/dev/null || { refresh 2>/dev/null && download "$package"; } || {
        echo "Cannot download $package. Run this, then try again:" >&2
        echo "sudo apt-get update" >&2
        exit 1
    }
    mkdir -p "$cache"
    dpkg-deb -x "$work"/*.deb "$work/tree"
    chmod 755 "$work/tree"
    mv -T "$work/tree" "$cache/$folder"
    rm -rf "$work"
done
