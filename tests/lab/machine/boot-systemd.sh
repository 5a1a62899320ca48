#!/bin/sh
# Boots systemd as process 1 of this PID namespace. Its root is $3 read-only, which may be the real one, with the tree $2
# laid over it and all that is written kept in memory at $1: systemd empties /tmp at boot, among other things. With $4, it
# is kept in that folder instead, where the next boot finds it, without laying the tree over it again.
set -eu
files=$1
tree=$2
base=$3
disk=${4:-$files/disk}
root=$files/root

mount -t tmpfs tmpfs "$files"
mkdir "$root"
isFirst=
if [ ! -e "$disk/upper" ]; then
  isFirst=1
  mkdir -p "$disk/work"
  cp -a "$tree" "$disk/upper"
fi
mount -t overlay -o "lowerdir=$base,upperdir=$disk/upper,workdir=$disk/work" overlay "$root"
# Only the units that are in the tree are enabled: nothing that runs on the real machine starts here too.
if [ -n "$isFirst" ]; then
  rm -rf "$root/etc/systemd/system"
  cp -a "$tree/etc/systemd/system" "$root/etc/systemd/system"
fi

for place in dev run tmp; do
  mount -t tmpfs -o mode=755 tmpfs "$root/$place"
done
chmod 1777 "$root/tmp"
mkdir -p "$root/dev/net" "$root/dev/shm" "$root/dev/pts"
mount -t devpts -o newinstance,ptmxmode=666 devpts "$root/dev/pts"
ln -s pts/ptmx "$root/dev/ptmx"
for device in null zero full random urandom tty net/tun; do
  touch "$root/dev/$device"
  mount --bind "/dev/$device" "$root/dev/$device"
done
mount -t proc proc "$root/proc"
# The kernel's parameters are the real machine's, too.
mount --bind "$root/proc/sys" "$root/proc/sys"
mount -o remount,bind,ro "$root/proc/sys"
mount -t sysfs -o ro sysfs "$root/sys"
mount -t cgroup2 cgroup2 "$root/sys/fs/cgroup"

cd "$root"
pivot_root . .
umount --lazy .
# By this variable systemd knows that it is in a container (systemd(1)), and leaves the hardware alone.
exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin container=waymaker-lab \
  /usr/lib/systemd/systemd --unit=multi-user.target --log-target=journal --show-status=no
