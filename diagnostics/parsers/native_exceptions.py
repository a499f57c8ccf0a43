"""Errors of native code in a job's log: uncaught C++ exceptions, CUDA errors by name, a process group's own thread.

    terminate called after throwing an instance of 'c10::CUDAError'
      what():  CUDA error: unknown error
    [rank1]:[E812 09:12:41.9 ProcessGroupNCCL.cpp:1899] [...] Process group watchdog thread terminated with exception: CUDA error: uncorrectable ECC error encountered
    C++ exception with description "ibv_reg_mr failed (errno 12)" thrown in the test body.
    CUDA_ERROR_CONTAINED: Invalid access of peer GPU memory over nvlink or a hardware error

A CUDA error's text inside a Python exception is that exception's, and read there.
"""  # noqa: E501

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ..evidence import Evidence, Severity
from ..evidence.job import PythonException
from ..footprint import footprint_of
from ..text import Text
from . import Parser
from ._errno import errno_in
from ._exceptions import names_path
from ._job_lines import Message, messages, of_lines

TERMINATE = re.compile(r"^terminate called after throwing an instance of '([\w:<>, ]{1,200})'")
WHAT = re.compile(r"^\s*what\(\): {1,4}(.{0,2000})$")
THREAD = re.compile(r"(?:Process group watchdog thread|NCCL watchdog thread) terminated with exception: (.{1,2000})$")
NAMED = re.compile(
    r"\b(CUDA_ERROR_[A-Z_]{2,60}|(?:cuda|hip)Error[A-Z]\w{2,60}|HSA_STATUS_ERROR[A-Z_]{0,60})\b:? ?(.{0,1000})$"
)
RANK = re.compile(r"\b[Rr]ank[ :=](\d{1,6})\b")
# C++ exception with description "ibv_reg_mr failed" thrown in the test body.
# libc++abi: terminating due to uncaught exception of type std::runtime_error: no device
THROWN = re.compile(
    r"C\+\+ exception with description \"(.{1,2000})\" thrown in "
    r"|\blibc\+\+abi: terminating (?:due to|with) uncaught exception of type ([\w:<>, ]{1,200}): (.{1,2000})$"
)
PYTHON = re.compile(r"^(?:[\w.]{1,100}\.)?[A-Z]\w{1,60}(?:Error|Exception): ")
INTERESTING = re.compile(
    r"terminate called after|what\(\):|watchdog thread terminated|C\+\+ exception with description"
    r"|libc\+\+abi: terminating|CUDA_ERROR_[A-Z]|\b(?:cuda|hip)Error[A-Z]|HSA_STATUS_ERROR"
)


def read(text: Text) -> Iterator[Evidence]:
    open_types: dict[int | None, str] = {}
    for message in messages(text, INTERESTING):
        said = message.text
        if found := TERMINATE.match(said):
            open_types[message.rank] = found[1]
            if not _what_follows(text, message):
                yield _fact(text, message, found[1], "")
        elif found := WHAT.match(said):
            yield _fact(text, message, open_types.pop(message.rank, "std::exception"), found[1].strip())
        elif found := THREAD.search(said):
            yield _fact(text, message, "ProcessGroupNCCL", found[1].strip())
        elif found := THROWN.search(said):
            yield _fact(text, message, found[2] or "std::exception", (found[1] or found[3]).strip())
        elif (found := NAMED.search(said)) and not PYTHON.match(said):
            yield _fact(text, message, found[1], found[2].strip())


def _what_follows(text: Text, message: Message) -> bool:
    return any(WHAT.match(after.text) for after in of_lines(text.after(message.line, limit=12)))


def _fact(text: Text, message: Message, type_: str, said: str) -> PythonException:
    known: dict[str, Any] = {"path": names_path(said)}
    if message.rank is None and (found := RANK.search(message.text)):
        known["rank"] = int(found[1])
    return PythonException(
        **message.facts(text, **known), severity=Severity.CRITICAL, type=type_, text=said, error=errno_in(said)
    )


PARSER = Parser(
    tool="training log",
    medium="job-log",
    footprint=footprint_of(INTERESTING),
    read=read,
)
