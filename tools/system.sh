#!/usr/bin/env bash
# Bring what the system has to give, all in one go. Usage: tools/system.sh python|test|lab
# Whatever would start a service when installed is unpacked under .cache/debs instead.
set -euo pipefail
cd "$(dirname "$0")/.."

python_needs() { # Debian and Ubuntu have Python without `ensurepip` until its -venv is installed
    local python
    if ! python=$(tools/python.sh); then
        echo "--package python3 --package python3-venv"
    elif ! "$python" -c 'import ensurepip, venv' 2>/dev/null; then
        "$python" -c 'import sys; print("--package python%d.%d-venv" % sys.version_info[:2])'
    fi
}

has() { # a daemon, which need not be on a user's PATH
    PATH=$PATH:/usr/sbin:/sbin command -v "$1" >/dev/null
}

lists() { # apt's package lists: container images come without them
    [ -n "$(apt-cache pkgnames prometheus 2>/dev/null)" ] || tools/refresh.sh 2>/dev/null || true
}

promtool_package() { # a package of its own in Debian 13, before that a part of the server's
    lists
    apt-cache pkgnames promtool 2>/dev/null | grep -x promtool || echo prometheus
}

kernel_packages() { # of the newest kernel: one package in Debian, up to three in Ubuntu
    local release
    lists
    release=$(apt-cache depends linux-image-amd64 linux-image-generic 2>/dev/null |
        awk '/Depends: linux-image-[0-9]/ { sub("linux-image-", "", $NF); print $NF; exit }')
    [ -z "$release" ] ||
        apt-cache pkgnames linux- | grep -xE "linux-(image|modules|modules-extra)-$release"
}

unpack_kernel() { # twice at most: failing refreshes old lists, then the newest kernel is another
    local packages
    for _ in 1 2; do
        mapfile -t packages < <(kernel_packages)
        [ ${#packages[@]} -gt 0 ] || break
        tools/unpack-deb.sh linux-image "${packages[@]}" && return
    done
    [ -d .cache/debs/linux-image ] ||
        echo "No kernel to unpack, so the lab skips. Try: sudo apt-get update" >&2
}

mapfile -t python < <(python_needs | tr ' ' '\n')
case ${1:-} in
python)
    tools/ensure.sh "${python[@]}"
    ;;
test)
    tools/ensure.sh "${python[@]}" gcc=gcc /usr/include/stdio.h=libc6-dev fusermount3=fuse3 \
        ip=iproute2 nsenter=util-linux wrk=wrk openssl=openssl curl=curl
    command -v promtool >/dev/null || tools/unpack-deb.sh prometheus "$(promtool_package)"
    command -v prometheus-node-exporter >/dev/null ||
        tools/unpack-deb.sh prometheus-node-exporter prometheus-node-exporter
    has ptp4l || tools/unpack-deb.sh linuxptp linuxptp
    has chronyd || tools/unpack-deb.sh chrony chrony
    ;;
lab)
    tools/ensure.sh "${python[@]}" qemu-system-x86_64=qemu-system-x86 busybox=busybox-static \
        cpio=cpio zstd=zstd
    unpack_kernel
    ;;
*)
    echo "Usage: tools/system.sh python|test|lab" >&2
    exit 2
    ;;
esac
