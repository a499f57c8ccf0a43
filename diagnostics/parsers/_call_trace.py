"""Kernel call traces: which frames there are, and which of them names what the task was doing.

     __schedule+0x24e/0x590
     request_wait_answer+0x151/0x210
     fuse_flush+0x155/0x190
    RIP: 0010:smp_call_function_many+0x8d5/0xb10

A frame marked `?` was found on the stack and may be a remnant: it is no frame. In a hung task the guilty frame
is the first that is no scheduler, lock or wait plumbing; in a stall, whose innermost frames are wherever the CPU
happened to be, it is the function that the kernel's own dispatcher (system call, softirq, timer, work queue) ran.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

_OFFSET = r"\+0x[0-9a-f]{1,8}/0x[0-9a-f]{1,8}"
#  fuse_flush+0x155/0x190      [<ffffffff8110c1f2>] fuse_flush+0x155/0x190 [fuse]      [<0>] rpc_wait_bit_killable+0x1e/0xa0
_FRAME = re.compile(
    rf"^\s*(?:<[A-Z#]{{2,4}}>\s*)?(?:\[ *\d{{1,8}}\.\d{{6}}\]\s*)?(?:\[?<[0-9a-fx]{{1,16}}>\]?\s?)*(?:\([0-9a-fx]{{1,20}}\)\s)?([A-Za-z_][\w.]{{0,200}}){_OFFSET}"
)
# RIP: 0010:fuse_abort_conn+0xb1f/0x1580      pc : el0_svc+0x60/0x25c      NIP [c000...] func+0x1/0x2
_AT = re.compile(
    rf"(?:RIP: [0-9a-f]{{4}}:(?:\[<[0-9a-f]{{1,16}}>\] )?(?:\[<[0-9a-f]{{1,16}}>\] )?"
    rf"|\b(?:pc|PC is at|NIP|epc|Kernel panic at) ?:? ?(?:\[?<?[0-9a-f]{{8,16}}>?\]? )?)([A-Za-z_][\w.]{{0,200}}){_OFFSET}"
)
_USER_MODE = re.compile(r"RIP: (?:0033|0023|002b):")

# The plumbing of waiting, by kind of name and not one by one.
_WAITING = re.compile(
    r"sched(?!uler)|^_*switch_to|context_switch|mutex|rwsem|_lock|_slowlock|slowpath|^_*down|^_*up_(?:read|write)"
    r"|completion|wait|sleep|synchronize|rcu_barrier|kthread_stop|cancel_delayed_work|flush_(?:work|workqueue)"
    r"|^_*futex|percpu_ref|drain_workqueue|^_*rpc_|^_*fuse_(?:simple_(?:request|background)|request_(?:send|queue)|send)"
    r"|^_*fuse_get_req|^kthread$"
)
# Waits that tasks of many kinds share: who holds the thing up is elsewhere, and the wait itself is the best name.
_SHARED_WAITS = (
    (re.compile(r"rtnl_lock"), "rtnl_lock"),
    (re.compile(r"synchronize_(?:s?rcu|net|sched)"), "synchronize_rcu"),
)
# What the kernel runs other functions from: the frame just inside one of these names the work.
_DISPATCHER = re.compile(
    r"^(?:process_one_work|process_scheduled_works|worker_thread|kthread|ret_from_fork|call_timer_fn|expire_timers"
    r"|_*run_timers|run_timer_softirq|_*hrtimer_run\w*|hrtimer_run_softirq|_*do_softirq\w*|handle_softirqs|run_ksoftirqd"
    r"|tasklet_action\w*|smpboot_thread_fn|task_work_run|do_syscall_\w+|do_fast_syscall_\w+|do_int80\w*|_*do_fast_syscall_32"
    r"|sysenter_dispatch|tracesys_phase2|entry_\w+|system_call\w*|invoke_syscall|el0_svc\w*|ret_fast_syscall"
    r"|start_secondary|cpu_startup_entry|start_kernel|x64_sys_call|ia32_sys_call|_*netif_receive_skb\w*|process_backlog"
    r"|net_rx_action|napi_poll|_*napi_poll\w*|vfs_(?:read|write|readv|writev|ioctl|iter_read|iter_write|get_tree|parse_fs_param)"
    r"|_*vfs_(?:read|write)|new_sync_(?:read|write)|call_(?:read|write)_iter|do_iter_\w+|do_loop_readv_writev|ksys_ioctl"
    r"|do_vfs_ioctl|_*(?:x64|se|do|ia32|arm64)_(?:compat_)?sys_ioctl|compat_SyS_ioctl|[Ss]y[Ss]_ioctl|SYSC_ioctl"
    r"|compat_ioctl\w*|blkdev_driver_ioctl|_*blkdev_ioctl|blkdev_compat_ioctl|sock_(?:send|recv)msg\w*|_*sys_(?:send|recv)(?:msg|to|from)\w*"
    r"|_+sys_(?:bind|connect|accept4?|listen|setsockopt|getsockopt|getsockname)|rtnetlink_rcv_msg|(?:netlink|nf_tables)_\w*dump_start"
    r"|irq_exit\w*|asm_common_interrupt|common_interrupt|do_IRQ|finish_task_switch_irq)$"
)
# Where a running CPU was interrupted to print its stack: what lies inside is the reporter, not the culprit.
_INTERRUPT = re.compile(
    r"apic_timer_interrupt|sysvec_|asm_sysvec|el1h?_irq|el1h?_64_irq|reschedule_interrupt|call_function_interrupt|^(?:end_repeat_)?nmi$|asm_exc_nmi"
)
_REPORTER = re.compile(
    r"rcu_(?:dump|check|sched|pending|gp)|rcu_stall|cpu_stall|dump_stack|nmi_|backtrace|sched_show_task|show_stack|"
    r"update_process_times|tick_|hrtimer|^_*sysvec|watchdog|perf_|sanitizer|kasan|kcsan|kmsan"
)
_ENTRY_PREFIX = re.compile(
    r"^(?:__(?:x64|ia32|arm64|s390x?|riscv|se|do|ia32_compat)_|__ia32_compat_|compat_SY?SC_|compat_SyS_|SYSC_|SyS_|C_SYSC_)"
)
_LINE_SUFFIX = re.compile(r"\.(?:constprop|isra|part|cold|llvm)\b.*$")


def frames(messages: Iterable[str]) -> Iterator[str]:
    """The functions of the frames among some messages, in their order; a kernel RIP counts as one."""
    for message in messages:
        if name := frame(message):
            yield name


def frame(message: str) -> str | None:
    """The function of one line of a trace, or None when the line is no frame."""
    if found := _FRAME.match(message) or _AT.search(message):
        return found[1]
    return None


def is_user_mode(message: str) -> bool:
    """True for the registers with which the task had entered the kernel: its trace is over."""
    return _USER_MODE.search(message) is not None


def waiting_function(stack: Sequence[str]) -> str | None:
    """What a blocked task was doing: the first frame that is no scheduler, lock or wait plumbing."""
    bare = [_LINE_SUFFIX.sub("", name) for name in stack]
    for name in bare:
        for pattern, shared in _SHARED_WAITS:
            if pattern.search(name):
                return shared
    for at, name in enumerate(bare):
        if not _WAITING.search(name):
            return _public_name(name, bare[at + 1 : at + 2])
    return None


def _public_name(name: str, caller: Sequence[str]) -> str:
    """`do_read_cache_folio` called by `read_cache_folio` is the inner half of it."""
    return caller[0] if caller and name in (f"do_{caller[0]}", f"__{caller[0]}", f"_{caller[0]}") else name


def running_function(stack: Sequence[str]) -> str | None:
    """What a CPU that does not let go was running: the function that the kernel's dispatcher called."""
    bare = [_LINE_SUFFIX.sub("", name) for name in stack]
    previous = None
    for name in bare:
        if "smp_call_function" in name:
            return "smp_call_function"  # it waits for another CPU, which is the one to blame
        if _DISPATCHER.match(name):
            if previous is not None:
                return _ENTRY_PREFIX.sub("", previous)
            continue
        if not _REPORTER.search(name):
            previous = name
    return _ENTRY_PREFIX.sub("", previous) if previous else None


def interrupted(stack: Sequence[str]) -> Sequence[str]:
    """The frames below the interrupt in which the stack was printed; all of them when there was none."""
    last = max((at for at, name in enumerate(stack) if _INTERRUPT.search(name)), default=-1)
    return stack[last + 1 :]
