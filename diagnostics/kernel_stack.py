"""Kernel stacks: which frame of one names the operation that a task is stuck in.

The innermost frames of a blocked task are always the same plumbing: the scheduler, a lock, a wait queue, a
request to a FUSE daemon or an RPC. The first frame below it is the guilty one. Names are matched by pattern,
since compilers and kernel versions decorate them (`.part.0`, `.isra.0`, `__x64_sys_`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

# [<0>] folio_wait_bit_common+0x110/0x310
#  [<ffffffffc0a6d3fc>] ? rpc_wait_bit_killable+0x24/0xa0 [sunrpc]
FRAME = re.compile(
    r"^\s*(?:\[ ?<[0-9a-fA-F]*>\] )?(?:(\?) )?([A-Za-z_][\w.]*)\+0x[0-9a-fA-F]+/0x[0-9a-fA-F]+(?: \[([\w-]+)\])?"
)

SCHEDULER = re.compile(
    r"_{0,2}(?:schedule|io_schedule|preempt_schedule|schedule_timeout|schedule_hrtimeout|schedule_preempt)\w*"
    r"|context_switch|__switch_to\w*|ret_from_fork\w*"
)
WAITING = re.compile(
    r"_{0,3}(?:ww_)?mutex_(?:lock|optimistic)\w*|_{0,2}rt_mutex\w*|rwsem_\w+|call_rwsem_\w+|_{0,2}down(?:_\w+)?"
    r"|_{0,2}percpu_(?:down|rwsem)\w*|_raw_(?:spin|read|write)_\w+|queued_\w+|native_queued_\w+"
    r"|_{0,2}wait_for_common\w*|do_wait_for_common|_{0,2}wait_for_completion\w*|wait_woken"
    r"|(?:out_of_line_|_{1,2})?wait_on_(?:bit|page|buffer|folio)\w*|bit_wait\w*|prepare_to_wait\w*|finish_wait"
    r"|_{0,2}folio_(?:lock|wait)\w*|_{0,2}lock_page\w*|_{0,2}lock_buffer|_{0,2}wait_event\w*|autoremove_wake_function"
    r"|_{0,2}futex_(?:wait|do_wait)\w*|do_futex|poll_schedule_timeout|do_nanosleep|hrtimer_nanosleep"
    r"|request_wait_answer|_{0,2}fuse_(?:simple_request|request_send|request_send_one|send_one|simple_background)\w*"
    r"|fuse_dev_\w+|_{0,2}rpc_\w+|nfs\d?_(?:wait_\w+|do_call_sync|call_sync\w*)|nfs4_(?:do_call_sync|call_sync\w*)"
    r"|_{0,2}flush_(?:work|workqueue)\w*|_{0,2}synchronize_(?:rcu|srcu)\w*|wait_rcu_gp|_{0,2}wait_rcu_gp"
)
ENTRY = re.compile(
    r"(?:entry_|do_syscall_|__x64_sys_|__arm64_sys_|__ia32_|el0|invoke_syscall|ret_from_|kthread$|asm_)\w*"
)


def frame_name(text: str) -> str | None:
    """The function of one line of a kernel stack without compiler suffixes, or None when it is no frame."""
    found = FRAME.match(text)
    return plain_name(found[2]) if found else None


def plain_name(function: str) -> str:
    """A function's name without what the compiler appended (`.constprop.0`, `.part.0`, `.isra.0`)."""
    return function.split(".", 1)[0]


def guilty_frame(frames: Sequence[str]) -> str | None:
    """The first frame, innermost first, that is no scheduler, lock or wait plumbing.

    When there is nothing but plumbing above the system call's entry, the plumbing's outermost frame that is
    not the scheduler's: a task in a plain futex wait is "in" `do_futex`.
    """
    names = [plain_name(frame) for frame in frames]
    for name in names:
        if ENTRY.fullmatch(name):
            break
        if not SCHEDULER.fullmatch(name) and not WAITING.fullmatch(name):
            return name
    waits = [name for name in names if not SCHEDULER.fullmatch(name) and not ENTRY.fullmatch(name)]
    return waits[-1] if waits else None
