#!/bin/sh
# The Debian packages that tests/faults break on purpose; tests that miss one are skipped with a reason.
set -eu
[ "$(id -u)" = 0 ] || { echo "needs root: the fault fixtures mount filesystems" >&2; exit 1; }
apt-get install -y --no-install-recommends \
    fuse3 sshfs openssh-server openssh-client \
    moosefs-master moosefs-chunkserver moosefs-client \
    e2fsprogs iproute2 procps util-linux fio
