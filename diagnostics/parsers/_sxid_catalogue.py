"""What NVIDIA's guide says of an SXid, the error of an NVSwitch.

Source: NVIDIA, "Fabric Manager User Guide", appendix on error handling: non-fatal, fatal, always fatal and other
notable SXids. The driver itself says whether an occurrence was fatal; info is what the guide says to ignore because
the switch corrects it or nothing is lost.
"""

from __future__ import annotations

from ..evidence import Severity
from ._xid_catalogue import UNKNOWN, Entry

_CORRECTED = (
    11012, 11021, 11022, 11023, 12021, 12023, 15008, 15011, 19049, 19055, 19057, 19059, 19062, 19065, 19068, 19071,
    24001, 24002, 24003,
)  # fmt: skip
_MEANINGS = dict.fromkeys(_CORRECTED, "Single bit ECC error, corrected") | {
    10001: "Host_priv_error",
    10002: "Host_priv_timeout",
    10003: "Host_unhandled_interrupt",
    10004: "Host_thermal_event_start",
    10005: "Host_thermal_event_end",
    11001: "ingress invalid command",
    11004: "Ingress invalid ACL",
    11009: "ingress invalid VCSet",
    11013: "ingress header DBE",
    11018: "ingress RID DBE",
    11019: "ingress RLAN DBE",
    11020: "ingress control parity",
    12001: "egress crossbar overflow",
    12002: "egress packet route",
    12020: "egress sequence ID error",
    12022: "egress input ECC DBE error",
    12024: "egress output ECC DBE error",
    12025: "egress credit overflow",
    12026: "egress destination request ID error",
    12027: "egress destination response ID error",
    12028: "Egress non-posted PRIV error",
    12030: "egress control parity error",
    12031: "egress credit parity error",
    12032: "egress flit type mismatch",
    14017: "TS ATO timeout",
    15001: "route buffer over/underflow",
    15006: "route transdone over/underflow",
    15009: "route GLT DBE",
    15010: "route parity",
    15012: "route incoming DBE",
    15013: "route credit parity",
    19047: "NCISOC HDR ECC DBE Error",
    19048: "NCISOC DAT ECC DBE Error",
    19054: "HDR RAM ECC DBE Error",
    19056: "DAT0 RAM ECC DBE Error",
    19058: "DAT1 RAM ECC DBE Error",
    19060: "CREQ RAM HDR ECC DBE Error",
    19061: "CREQ RAM DAT ECC DBE Error",
    19063: "Response RAM HDR ECC DBE Error",
    19064: "Response RAM DAT ECC DBE Error",
    19066: "COM RAM HDR ECC DBE Error",
    19067: "COM RAM DAT ECC DBE Error",
    19069: "RSP1 RAM HDR ECC DBE Error",
    19070: "RSP1 RAM DAT ECC DBE Error",
    19084: "AN1 Heartbeat Timeout Error",
    20001: "TX Replay Error: a packet was sent again",
    20009: "RX Short Error Rate",
    20012: "NVLink connection broken, inconsistent or shut down without coordination",
    20034: "LTSSM fault up: the NVLink went down",
    22003: "Minion Halt",
    22011: "Minion exterror",
    22012: "Minion Link NA interrupt",
    22013: "Minion Link DLREQ interrupt",
    23001: "ingress SRC-VC buffer overflow",
    23002: "ingress SRC-VC buffer underflow",
    23003: "egress DST-VC credit overflow",
    23004: "egress DST-VC credit underflow",
    23005: "ingress packet burst error",
    23006: "ingress packet sticky error",
    23007: "possible bubbles at ingress",
    23008: "ingress packet invalid dst error",
    23009: "ingress packet parity error",
    23010: "ingress SRC-VC buffer overflow",
    23011: "ingress SRC-VC buffer underflow",
    23012: "egress DST-VC credit overflow",
    23013: "egress DST-VC credit underflow",
    23014: "ingress packet burst error",
    23015: "ingress packet sticky error",
    23016: "possible bubbles at ingress",
    23017: "ingress credit parity error",
    24004: "sourcetrack TCEN0 crubmstore DBE",
    24005: "sourcetrack TCEN0 TD crubmstore DBE",
    24006: "sourcetrack TCEN1 crubmstore DBE",
    24007: "sourcetrack timeout error",
    28002: "Therm Warn Deactivated",
}
_IGNORED = frozenset((*_CORRECTED, 10005, 20001, 22013, 28002))


def sxid_entry(code: int) -> Entry:
    """The guide's entry for an SXid, as bad as an occurrence that is not fatal; an unknown code is a warning."""
    severity = Severity.INFO if code in _IGNORED else Severity.WARNING
    return Entry(_MEANINGS.get(code, UNKNOWN), severity)
