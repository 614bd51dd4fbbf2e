#!/usr/bin/env bash
# Unpack Debian packages without installing them, so that none of their services starts.
# Usage: tools/unpack-deb.sh FOLDER PACKAGE...       -> .cache/debs/FOLDER/{usr,...}
set -euo pipefail
cd "$(dirname "$0")/.."
target=$PWD/.cache/debs/$1
shift
[ ! -d "$target" ] || exit 0

command -v apt-get >/dev/null || {
    echo "Cannot fetch $*: this needs apt-get (Debian or Ubuntu)." >&2
    exit 1
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 777 "$work" # apt-get downloads as the user _apt

download() { (cd "$work" && apt-get -qq download "$@"); }

echo "Unpacking $* into ${target#"$PWD/"}" >&2
download "$@" 2>/dev/null || { tools/refresh.sh 2>/dev/null && download "$@"; } || {
    echo "Cannot download $*. Run this, then try again:" >&2
    echo "sudo apt-get update" >&2
    exit 1
}
for package in "$work"/*.deb; do dpkg-deb -x "$package" "$work/tree"; done
chmod 755 "$work/tree"
mkdir -p "${target%/*}"
mv -T "$work/tree" "$target"
