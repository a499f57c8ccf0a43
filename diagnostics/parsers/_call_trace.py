"""Kernel call traces: which frames there are, and which of them names what the task was doing.

     __schedule+0x24e/0x590
     request_wait_answer+0x151/0x210
     fuse_flush+0x155/0x190
    RIP: 0010:smp_call_function_many+0x8d5/0xb10

A frame marked `?` was found on the stack and may be a remnant: it is no frame, unless a kernel that cannot tell marked
all of them so. In a hung task the guilty frame
is the first that is no scheduler, lock or wait plumbing; in a stall, whose innermost frames are wherever the CPU
happened to be, it is the function that the kernel's own dispatcher (system call, softirq, timer, work queue) ran.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

_OFFSET = r"\+0x[0-9a-f]{1,8}/0x[0-9a-f]{1,8}"
#  fuse_flush+0x155/0x190      [<ffffffff8110c1f2>] fuse_flush+0x155/0x190 [fuse]      [<0>]
# rpc_wait_bit_killable+0x1e/0xa0
_ADDRESS = r"(?:\[<?[0-9a-fx]{1,16}>?\]\s?)*"
_FRAME = re.compile(
    rf"^\s*(?:<[A-Z#]{{2,4}}>\s*)?(?:\[ *\d{{1,8}}\.\d{{1,9}}\]\s*)?{_ADDRESS}([A-Za-z_][\w.]{{0,200}}){_OFFSET}\b"
    r"(?! \(unreliable)"
)
# (32-bit ARM) [<80c1eb20>] (schedule) from [<80c1ec14>] (io_schedule+0x48/0x6c)      schedule from
# io_schedule+0x48/0x6c
_ARM_FRAME = re.compile(
    rf"^\s*{_ADDRESS}\(?([A-Za-z_][\w.]{{0,200}})\)? from {_ADDRESS}\(?[A-Za-z_][\w.]{{0,200}}{_OFFSET}"
)
# IP: [<ffffffffa0362a12>] func+0x4c32/0xa280 [raid456]
# RIP: 0010:fuse_abort_conn+0xb1f/0x1580      pc : el0_svc+0x60/0x25c      NIP [c000...] func+0x1/0x2
_AT = re.compile(
    rf"(?:\bIP: \[<[0-9a-f]{{8,16}}>\] |RIP: [0-9a-f]{{4}}:(?:\[<[0-9a-f]{{1,16}}>\] )?(?:\[<[0-9a-f]{{1,16}}>\] )?"
    rf"|\b(?:pc|PC is at|NIP|epc|Kernel panic at) ?:? ?(?:\[?<?[0-9a-f]{{8,16}}>?\]? )?)"
    rf"([A-Za-z_][\w.]{{0,200}}){_OFFSET}"
)
# nvidia_vma_access+0x6d/0x250 [nvidia]      fuse_flush+0x155/0x190 [fuse 6c1e]
_MODULE = re.compile(rf"{_OFFSET} \[([a-z]\w{{1,40}})(?: [0-9a-f]{{4,64}})?\]\s*$")
_USER_MODE = re.compile(r"RIP: (?:0033|0023|002b):")

#  [<ffffffffa0668f90>] ? zfs_zget+0xa0/0x1c0 [zfs]
_DOUBTFUL = re.compile(r"^(\s*(?:\[<?[0-9a-fx]{1,16}>?\]\s?)*)\? (?=[A-Za-z_])")

# The plumbing of waiting, by kind of name and not one by one.
_WAITING = re.compile(
    r"sched(?!uler)|^_*switch_to|context_switch|mutex|rwsem|_lock|_slowlock|slowpath|^_*down|^_*up_(?:read|write)"
    r"|completion|wait|sleep|synchronize|rcu_barrier|kthread_stop|cancel_(?:delayed_)?work|flush_(?:work|workqueue)"
    "|^_*futex|percpu_ref|drain_workqueue|^_*rpc_|^_*fuse_"
    "(?:simple_(?:request|background)|request_(?:send|queue)|send)"
    r"|^_*fuse_get_req|^nfs\d_(?:do_)?call_sync|^kthread$"
)
# Waits that tasks of many kinds share: who holds the thing up is elsewhere, and the wait itself is the best name.
_SHARED_WAITS = (
    (re.compile(r"rtnl_lock"), "rtnl_lock"),
    (re.compile(r"synchronize_(?:s?rcu|net|sched)"), "synchronize_rcu"),
)
# What the kernel runs other functions from: the frame just inside one of these names the work.
_DISPATCHER = re.compile(
    r"^(?:process_one_work|process_scheduled_works|worker_thread|kthread|ret_from_fork|smpboot_thread_fn|run_ksoftirqd"
    r"|call_timer_fn|expire_timers|_*run_timers|run_timer_softirq|_*hrtimer_run\w*|_*do_softirq\w*|handle_softirqs"
    r"|tasklet_action\w*|net_rx_action|_*napi_poll|process_backlog|_*netif_receive_skb\w*|irq_exit\w*|do_IRQ"
    r"|(?:asm_)?common_interrupt|task_work_run|cpu_startup_entry|start_secondary|start_kernel"
    r"|do_syscall_\w+|_*do_fast_syscall_\w+|do_int80\w*|sysenter_dispatch|tracesys\w*|entry_\w+|system_call\w*"
    r"|x64_sys_call|ia32_sys_call|invoke_syscall|el0_svc\w*|ret_fast_syscall|int_ret_from_sys_call"
    r"|_*vfs_(?:read|write|readv|writev|ioctl|iter_read|iter_write)|new_sync_(?:read|write)|call_(?:read|write)_iter"
    r"|do_iter_\w+|do_loop_readv_writev|ksys_(?:ioctl|read|write)|do_vfs_ioctl|blkdev_driver_ioctl|_*blkdev_ioctl"
    r"|sock_sendmsg\w*|_*sys_send(?:msg|to)|_+sys_(?:bind|connect|accept4?|listen|[gs]etsockopt|getsockname)"
    r"|(?:rtnetlink|nfnetlink)_rcv_msg)$"
    r"|compat_ioctl|sys_ioctl|SyS_ioctl|SYSC_ioctl"
)
# Where a running CPU was interrupted to print its stack: what lies inside is the reporter, not the culprit.
_INTERRUPT = re.compile(
    "apic_timer_interrupt|sysvec_|el1h?_irq|el1h?_64_irq|reschedule_interrupt|call_function_interrupt"
    "|^(?:end_repeat_)?nmi$"
)
_INTERRUPT_GLUE = re.compile(r"^asm_call|^call_on_irq_stack|^do_interrupt_handler|^el1_interrupt")
_REPORTER = re.compile(
    r"rcu_(?:dump|check|sched|pending)|cpu_stall|dump_stack|nmi_|backtrace|sched_show_task|show_stack"
)
_INSTRUMENTATION = re.compile(
    r"update_process_times|^tick_|hrtimer|watchdog|sanitizer|kasan|kcsan|kmsan|^_*switch_to|^_*schedule$|dump_cpu_task"
)
_ENTRY_PREFIX = re.compile(
    "^(?:__(?:x64|ia32|arm64|s390x?|riscv|se|do)_(?=(?:compat_)?sys_)|__ia32_compat_(?=sys_)|compat_S(?:YSC|yS)_"
    "|S(?:YSC|yS)_)"
)
_LINE_SUFFIX = re.compile(r"\.(?:constprop|isra|part|cold|llvm)\b.*$")


def frames(messages: Iterable[str]) -> Iterator[str]:
    """The functions of the frames among some messages, in their order; a kernel RIP counts as one."""
    for message in messages:
        if name := frame(message):
            yield name


def frame(message: str) -> str | None:
    """The function of one line of a trace, or None when the line is no frame."""
    if found := _FRAME.match(message) or _ARM_FRAME.match(message) or _AT.search(message):
        return found[1]
    return None


def doubtful(message: str) -> str | None:
    """The function of a frame that is marked `?`: what counts where a report has no other."""
    return frame(_DOUBTFUL.sub(r"\1", message)) if _DOUBTFUL.match(message) else None


def module(message: str) -> str | None:
    """The module that a frame's function belongs to; None for the kernel's own."""
    found = _MODULE.search(message)
    return found[1] if found else None


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
    previous = None
    for name in (_LINE_SUFFIX.sub("", name) for name in stack):
        if "smp_call_function" in name:
            return "smp_call_function"  # it waits for another CPU, which is the one to blame
        if _DISPATCHER.search(name):
            return _ENTRY_PREFIX.sub("", previous or name)
        if not _REPORTER.search(name) and not _INSTRUMENTATION.search(name):
            previous = name
    return _ENTRY_PREFIX.sub("", previous) if previous else None


def interrupted(stack: Sequence[str]) -> Sequence[str]:
    """The frames below the interrupt in which a CPU printed its own stack; all of them where it did not."""
    entry = next((at for at, name in enumerate(stack) if _INTERRUPT.search(name)), None)
    if entry is None or not any(_REPORTER.search(name) for name in stack[:entry]):
        return stack
    while entry < len(stack) and (_INTERRUPT.search(stack[entry]) or _INTERRUPT_GLUE.search(stack[entry])):
        entry += 1
    return stack[entry:]
