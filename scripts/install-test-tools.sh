#!/bin/sh
# The Debian packages that the tests use: filesystems to break, a browser, tracers. What is there already is left alone;
# without root or apt nothing is installed, and the tests that miss a tool are skipped with a reason.
set -eu
packages="fuse3 sshfs openssh-server openssh-client moosefs-master moosefs-chunkserver moosefs-client
    e2fsprogs iproute2 procps util-linux fio strace chromium"
missing=""
for package in $packages; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing="$missing $package"
done
[ -n "$missing" ] || exit 0
if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
    echo "not installed (needs root and apt):$missing; the tests that use them will be skipped"
    exit 0
fi
apt-get update -qq
# shellcheck disable=SC2086 - a list of package names
DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >/dev/null
