"""PCI addresses, which every tool writes in its own way.

00000000:8B:00.0 (nvidia-smi)      0000:8b:00.0 (lspci, sysfs)      0000:8b:00 (the driver's Xid lines)
"""

from __future__ import annotations

import re

ADDRESS = re.compile(r"(?:([0-9A-Fa-f]{4,8}):)?([0-9A-Fa-f]{2}):([0-9A-Fa-f]{2})(?:\.[0-7])?")


def pci_address(text: str) -> str:
    """An address as domain:bus:device in lower case: a GPU's errors are reported without the function."""
    found = ADDRESS.fullmatch(text.strip())
    if not found:
        return text.strip().lower()
    domain = (found[1] or "0000").lower()
    return f"{domain[4:] if domain.startswith('0000') and len(domain) == 8 else domain}:{found[2]}:{found[3]}".lower()
