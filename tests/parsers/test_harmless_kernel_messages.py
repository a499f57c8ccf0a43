"""What healthy GPU nodes print at their boot and later: no rule may take any of it for worse than information.

The lines come from the kernel logs of healthy servers and from lists of messages that monitoring tools ignore; names
and addresses are replaced.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from diagnostics.archives import Artefact
from diagnostics.evidence import Severity
from diagnostics.reading import read_artefact

MESSAGES = Path(__file__).with_name("harmless_kernel_messages.txt").read_text().splitlines()
WRAPPINGS = {
    "dmesg": "[   12.456789] {}",
    "dmesg -T": "[Thu Sep 28 19:29:02 2023] {}",
    "dmesg -H": "[Sep28 19:29] {}",
    "dmesg -r": "<4>[   12.456789] {}",
    "dmesg -x": "kern  :err   : [   12.456789] {}",
    "dmesg --time-format iso": "2023-09-28T19:29:02,123456+00:00 {}",
    "/dev/kmsg": "4,3964,12456789,-;{}",
    "journalctl -k": "Sep 28 19:29:02 trn07 kernel: {}",
    "kern.log": "Sep 28 19:29:02 trn07 kernel: [   12.456789] {}",
}


def above_info(wrapping: str, messages: list[str]) -> list[str]:
    log = "".join(wrapping.format(message) + "\n" for message in messages)
    facts = read_artefact(Artefact(name="log.txt", data=log.encode())).facts
    return [f"{fact.kind}: {fact.source.quote}" for fact in facts if fact.severity is not Severity.INFO]


@pytest.mark.parametrize("wrapping", WRAPPINGS.values(), ids=list(WRAPPINGS))
def test_nothing_is_above_info(wrapping: str) -> None:
    assert above_info(wrapping, MESSAGES) == []


def test_without_stamps_no_line_is_taken_for_a_job_s_complaint() -> None:
    """`journalctl -k -o cat`: only what may be a loss at another time is told, since nothing says when it was."""
    told = above_info("{}", MESSAGES)
    assert all("Cable unplugged" in each or "Link" in each for each in told), told


@pytest.mark.parametrize("wrapping", WRAPPINGS.values(), ids=list(WRAPPINGS))
def test_a_fault_among_them_is_noticed(wrapping: str) -> None:
    fault = "NVRM: Xid (PCI:0000:8b:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus."
    assert above_info(wrapping, [*MESSAGES, fault]) == [f"xid: {wrapping.format(fault)}"]
