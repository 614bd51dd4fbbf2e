#!/bin/busybox sh
# The first process of the lab's kernel. It makes the host's file system its own, as a copy whose
# changes are forgotten, runs /lab/job there and switches the machine off.
/bin/busybox mkdir -p /sbin /proc /sys /dev /mnt/host /mnt/top /root
/bin/busybox --install -s /bin
export PATH=/bin

mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs dev /dev
mkdir -p /dev/pts /dev/shm
mount -t tmpfs tmp /dev/shm

while read -r module parameters; do
    insmod "/lab/modules/$module" $parameters || echo "lab: cannot load $module" >/dev/console
done </lab/order

# Where the job's answers go: a port of its own, for the console is the kernel's, too.
port=/dev/null
for name in /sys/class/virtio-ports/*/name; do
    [ "$(cat "$name" 2>/dev/null)" = lab ] && port=/dev/$(basename "$(dirname "$name")")
done

mount -t 9p -o ro,trans=virtio,version=9p2000.L,msize=262144,cache=loose host /mnt/host
mount -t tmpfs top /mnt/top
mkdir /mnt/top/upper /mnt/top/work
mount -t overlay -o lowerdir=/mnt/host,upperdir=/mnt/top/upper,workdir=/mnt/top/work root /root
mkdir -p /root/lab
for folder in proc sys dev lab; do mount --bind "/$folder" "/root/$folder"; done
mount -t tmpfs run /root/run
ip link set lo up

PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 \
    chroot /root /bin/sh /lab/job >"$port" 2>/dev/console </dev/null
echo "lab: exit $?" >"$port"
sync
poweroff -f
