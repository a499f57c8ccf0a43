"""A session in which somebody reloads the GPU's driver and asks CUDA before or after it.

    $ sudo rmmod nvidia_uvm && sudo modprobe nvidia_uvm
    $ python -c "import torch; print(torch.cuda.is_available())"
    True

The answer is read on the line below the question. A module that is only taken out is skipped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Source
from ..evidence.job import SettingSeen
from ..footprint import footprint_of
from ..text import Text
from . import Parser

PROMPT = r"^\S{0,80}[$#%>] ?"
MODULE = r"(?:nvidia(?:[_-]\w{1,10})?|amdgpu)"
# sudo rmmod nvidia_uvm && sudo modprobe nvidia_uvm     modprobe nvidia-uvm     nvidia-smi --gpu-reset is another cure
RELOAD = re.compile(rf"{PROMPT}.{{0,200}}\bmodprobe (?!-r\b)(?:-\w{{1,10}} )?(?P<module>{MODULE})\b")
TAKEN_OUT = re.compile(rf"{PROMPT}.{{0,200}}\b(?:rmmod|modprobe -r) (?:-\w{{1,10}} )?{MODULE}\b")
ASKED = re.compile(
    rf"(?:{PROMPT}|^>>> ).{{0,300}}(?:\btorch\.cuda\.is_available\(\)|\.cuda\(\)|\.to\(['\"]cuda|device=['\"]cuda"
    r"|tf\.(?:Session|test|config)|cupy\.|\bnvidia-smi\b|\bdeviceQuery\b)"
)
# True     tensor([-0.2113,  1.0310], device='cuda:0')     ...] Creating TensorFlow device (/gpu:0)     GPU 0: Tesla T4
# (UUID: GPU-...
YES = re.compile(
    r"^True\s*$|\bdevice='cuda(?::\d{1,3})?'|Creat(?:ing|ed) (?:TensorFlow )?device \(/"
    r"|Created device /\S{1,60}GPU:\d|^GPU \d{1,3}: .{1,80}\(UUID: GPU-|Result = PASS"
)
NO = re.compile(
    r"^False\s*$|No devices were found|unknown error|CUDA_ERROR_\w{1,40}|no CUDA-capable device|couldn't communicate"
    "|busy or unavailable|No CUDA GPUs"
)

# after rmmod nvidia_uvm; modprobe nvidia_uvm: works      (a person's note has both in one line)
NOTED = re.compile(
    rf"\b(?:rmmod|modprobe -r) {MODULE}\b.{{1,40}}\bmodprobe (?P<module>{MODULE})\b\W{{1,8}}(?:it |all |cuda )?"
    r"(?:works|ok|fine|is back)\b",
    re.I,
)


def read(text: Text) -> Iterator[SettingSeen]:
    asked = taken_out = False
    for line in text.lines():
        row = line.text[:600]
        source = Source(text.name, line.number, line.quote)
        if asked and (YES.search(row) or NO.search(row)):
            yield SettingSeen(source=source, name="CUDA available", value=str(YES.search(row) is not None))
        if noted := NOTED.search(row):
            yield SettingSeen(source=source, name="driver reloaded", value=noted["module"])
            yield SettingSeen(source=source, name="CUDA available", value="True")
            continue
        taken_out = taken_out or TAKEN_OUT.match(row) is not None
        if taken_out and (found := RELOAD.match(row)):
            taken_out = False
            yield SettingSeen(source=source, name="driver reloaded", value=found["module"])
        asked = ASKED.match(row) is not None


PARSER = Parser(
    tool="rmmod and modprobe of the GPU's driver",
    medium="transcript",
    footprint=footprint_of(RELOAD, NOTED),
    read=read,
)
