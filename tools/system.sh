#!/usr/bin/env bash
# Bring the programs that the tests use. Usage: tools/system.sh test|lab
# Whatever would start a service when installed is unpacked under .cache/debs instead.
set -euo pipefail
cd "$(dirname "$0")/.."

unless_on_path() { # COMMAND PACKAGE: unpack PACKAGE where the system does not have COMMAND
    command -v "$1" >/dev/null || tools/unpack-deb.sh "$2"
}

kernel_package() { # the package behind the distribution's "latest kernel" package
    local latest
    latest=linux-image-$(dpkg --print-architecture)
    apt-cache depends "$latest" 2>/dev/null | awk '$1 == "Depends:" { print $2; exit }'
}

case ${1:-} in
test)
    tools/ensure.sh gcc=gcc /usr/include/stdio.h=libc6-dev fusermount3=fuse3 \
        wrk=wrk openssl=openssl curl=curl
    unless_on_path promtool prometheus
    unless_on_path prometheus-node-exporter prometheus-node-exporter
    ;;
lab)
    tools/ensure.sh qemu-system-x86_64=qemu-system-x86 busybox=busybox-static cpio=cpio
    if [ ! -d .cache/debs/linux-image ]; then
        package=$(kernel_package) || true
        if [ -n "$package" ]; then
            tools/unpack-deb.sh "linux-image=$package"
        else
            echo "This distribution has no linux-image-$(dpkg --print-architecture): the lab skips." >&2
        fi
    fi
    ;;
*)
    echo "Usage: tools/system.sh test|lab" >&2
    exit 2
    ;;
esac
