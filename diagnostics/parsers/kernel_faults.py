"""Faults of the kernel itself: BUG, Oops, panic, WARNING.

    BUG: kernel NULL pointer dereference, address: 0000000000000010
    Kernel panic - not syncing: Fatal exception
    WARNING: CPU: 1 PID: 8377 at arch/x86/kvm/x86.c:7209 kvm_arch_vcpu_ioctl_run+0x1f7/0x5a00

Lockups, stalls and hung tasks have parsers of their own. A WARNING is a developer's question, not a failure: info.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..evidence.kernel import KernelFault
from ..text import Text
from . import Parser
from ._call_trace import frame, is_user_mode, module
from ._table import CRITICAL, FATAL, INFO, Hit, Row, Table

TABLE = Table(
    Row("BUG: (?:unable to handle|kernel NULL pointer|KASAN:|Bad (?:page|rss-counter)|scheduling while atomic"
        "|spinlock|workqueue lockup|stack guard page|non-zero|sleeping function called)", "bug", CRITICAL),
    Row(r"kernel BUG at \S{1,200}:\d+!", "bug", CRITICAL),
    Row(r"Unable to handle kernel (?:NULL pointer|paging request|access)", "bug", CRITICAL),
    Row(r"(?:Oops(?: - [\w /]{1,60})?: ?[0-9a-f]*|general protection fault.{0,200}: [0-9a-f]{4}"
        "|Internal error: .{1,80}: [0-9a-f]+|stack segment: [0-9a-f]{4}|divide error: [0-9a-f]{4}"
        r"|invalid opcode: [0-9a-f]{4}|double fault: [0-9a-f]{4}) \[#\d+\]", "oops", CRITICAL),
    Row(r"list_(?:add|del) corruption|kernel stack overflow", "bug", CRITICAL),
    Row(r"Kernel panic - not syncing: ", "panic", FATAL),
    Row(r"WARNING: CPU: \d+ PID: \d+ at ", "warning", INFO),
)  # fmt: skip
_PLUMBING = frozenset(("dump_stack", "dump_stack_lvl", "panic", "__warn", "report_bug", "show_stack", "dump_backtrace"))


def read(text: Text) -> Iterator[KernelFault]:
    for hit in TABLE.hits(text):
        stack = _stack(hit)
        guilty = next(((name, owner) for name, owner in stack if name not in _PLUMBING), (None, None))
        yield KernelFault(
            source=hit.log.source(hit.line),
            subject=hit.subject,
            stamp=hit.message.stamp,
            severity=hit.row.severity,
            about=hit.row.about,
            function=guilty[0],
            module=guilty[1],
            frames=tuple(name for name, _ in stack),
            text=hit.message.message[:500],
        )


def _stack(hit: Hit) -> list[tuple[str, str | None]]:
    """The functions of the trace, each with its module."""
    found: list[tuple[str, str | None]] = (
        [(name, None)] if (name := frame(hit.message.message.rpartition(" ")[2])) else []
    )
    for _, below in hit.log.report(hit.line, limit=100):
        if is_user_mode(below.message) or "---[ end trace" in below.message:
            break
        if name := frame(below.message):
            found.append((name, module(below.message)))
    return found


PARSER = Parser(
    tool="the kernel's reports of its own faults", medium="kernel-log", footprint=TABLE.footprint, read=read
)
