"""Sizes, PCI addresses and errnos as tools write them."""

from __future__ import annotations

import pytest

from diagnostics.parsers._errno import errno_in
from diagnostics.parsers._pci import pci_address
from diagnostics.sizes import size_bytes


@pytest.mark.parametrize(
    ("text", "unit", "size"),
    [
        ("18G", 1, 18 << 30),
        ("1.5K", 1, 1536),
        ("0", 1, 0),
        ("1024", 1024, 1 << 20),
        ("22Gi", 1, 22 << 30),
        ("62.9GiB", 1, int(62.9 * (1 << 30))),
        ("0B", 1, 0),
        ("1,5M", 1, int(1.5 * (1 << 20))),
        ("-", 1, None),
        ("GB", 1, None),
        ("", 1, None),
    ],
)
def test_sizes(text: str, unit: int, size: int | None) -> None:
    assert size_bytes(text, unit) == size


@pytest.mark.parametrize("text", ["00000000:8B:00.0", "0000:8b:00.0", "0000:8b:00", "8b:00.0"])
def test_one_device_has_one_address(text: str) -> None:
    assert pci_address(text) == "0000:8b:00"


def test_another_domain_is_another_device() -> None:
    assert pci_address("00010000:8B:00.0") != pci_address("00000000:8B:00.0")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("cp: error writing 'x': No such device or address", "ENXIO"),
        ("df: /mnt: Transport endpoint is not connected", "ENOTCONN"),
        ("[Errno 28] kein Platz", "ENOSPC"),
        ("Permission denied (os error 13)", "EACCES"),
        ("write failed: EDQUOT", "EDQUOT"),
        ("Input/output error", "EIO"),
        ("Stale file handle", "ESTALE"),
        ("everything is fine", None),
    ],
)
def test_errnos(text: str, name: str | None) -> None:
    assert errno_in(text) == name
