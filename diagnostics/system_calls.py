"""System calls that name a file: their numbers, and which argument is its descriptor or its path.

Source: the kernel's arch/x86/entry/syscalls/syscall_64.tbl and include/uapi/asm-generic/unistd.h (arm64).
"""

from __future__ import annotations

from typing import NamedTuple

# name, number on x86-64, number on arm64 (- where it has none), and the first arguments: f is the descriptor of the
# file that the call works on, d another descriptor (a directory to look in, a socket to send to), p a path
_TABLE = """
    read               0   63  f
    write              1   64  f
    open               2    -  p
    close              3   57  f
    stat               4    -  p
    fstat              5   80  f
    lstat              6    -  p
    lseek              8   62  f
    ioctl             16   29  f
    pread64           17   67  f
    pwrite64          18   68  f
    readv             19   65  f
    writev            20   66  f
    access            21    -  p
    dup               32   23  f
    sendfile          40   71  df
    connect           42  203  f
    accept            43  202  f
    sendto            44  206  f
    recvfrom          45  207  f
    sendmsg           46  211  f
    recvmsg           47  212  f
    fcntl             72   25  f
    flock             73   32  f
    fsync             74   82  f
    fdatasync         75   83  f
    truncate          76   45  p
    ftruncate         77   46  f
    getdents          78    -  f
    chdir             80   49  p
    fchdir            81   50  f
    rename            82    -  -p
    mkdir             83    -  p
    rmdir             84    -  p
    unlink            87    -  p
    readlink          89    -  p
    fchmod            91   52  f
    fchown            93   55  f
    statfs           137   43  p
    fstatfs          138   44  f
    readahead        187  213  f
    getdents64       217   61  f
    fadvise64        221  223  f
    epoll_wait       232    -  f
    openat           257   56  dp
    mkdirat          258   34  dp
    newfstatat       262   79  dp
    unlinkat         263   35  dp
    renameat         264   38  dp
    faccessat        269   48  dp
    sync_file_range  277   84  f
    epoll_pwait      281   22  f
    fallocate        285   47  f
    accept4          288  242  f
    preadv           295   69  f
    pwritev          296   70  f
    recvmmsg         299  243  f
    syncfs           306  267  f
    sendmmsg         307  269  f
    renameat2        316  276  dp
    copy_file_range  326  285  f
    preadv2          327  286  f
    pwritev2         328  287  f
    statx            332  291  dp
    openat2          437  437  dp
    faccessat2       439  439  dp
"""


class SystemCall(NamedTuple):
    """A call; `descriptor` and `path` are the places of its arguments, counted from 0, None where it has no such one.

    `begins_with_descriptor` is True for a directory's or a socket's too.
    """

    name: str
    descriptor: int | None
    path: int | None
    begins_with_descriptor: bool


def _table(column: int) -> dict[int, SystemCall]:
    found = {}
    for row in _TABLE.strip().splitlines():
        name, *numbers, takes = row.split()
        if numbers[column] != "-":
            at = {kind: place for place, kind in enumerate(takes)}
            found[int(numbers[column])] = SystemCall(name, at.get("f"), at.get("p"), takes[0] in "fd")
    return found


X86_64, ARM64 = _table(0), _table(1)
