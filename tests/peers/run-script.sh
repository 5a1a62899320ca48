#!/bin/sh
# Runs the script $3 in the directory `tests` of $2, a copy of a peer's suite, on this system with the programs of the
# tree $1 laid over its own. It has namespaces of its own for mounts, processes and the network. Some scripts write to
# /etc and /var as root: there, what they write is kept in memory, and everything else but /tmp and their own directory,
# which they find at /mnt, is read-only.
set -eu
mount --bind "$2" /mnt
mount -t tmpfs tmpfs /run
for place in etc var; do
  mkdir -p "/run/upper-$place" "/run/work-$place"
  mount -t overlay -o "lowerdir=$1/$place:/$place,upperdir=/run/upper-$place,workdir=/run/work-$place" overlay "/$place"
done
mount -t overlay -o "lowerdir=$1/usr:/usr" overlay /usr
# This clone may be in there.
mount --bind /tmp /tmp
mount -o remount,bind,ro /
# Packages that are only unpacked have made no users.
for user in haproxy freerad; do
  grep -q "^$user:" /etc/passwd || echo "$user:x:499:499::/:/bin/false" >>/etc/passwd
  grep -q "^$user:" /etc/group || echo "$user:x:499:" >>/etc/group
done
ip link set lo up
cd /mnt/tests
exec bash "./$3"
