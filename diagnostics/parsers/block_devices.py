"""Disks in the kernel log: NVMe, SCSI, SATA, virtio, device mapper, md, nbd, iSCSI.

    blk_update_request: I/O error, dev rbd2, sector 33928 op 0x0:(READ) flags 0x3000 phys_seg 1 prio class 0
    Buffer I/O error on device nvme0n1p1, logical block 1066386
    nvme nvme0: I/O 704 QID 2 timeout, aborting
    sd 0:0:0:0: [sda] tag#5 FAILED Result: hostbyte=DID_TIME_OUT driverbyte=DRIVER_OK
    ata1.00: exception Emask 0x0 SAct 0x4000 SErr 0x0 action 0x6 frozen

A floppy or an optical drive without a medium complains on every boot, and a disk refuses the commands that it does not
know (discard, write zeroes): such errors are info. So are a request whose answer was there and whose interrupt was lost
("completion polled"), and the cache of a disk that somebody took out; one that failed says more than that.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Evidence
from ..evidence.kernel import BlockDeviceTrouble, BlockIoError
from ..text import Text
from . import Parser
from ._table import CRITICAL, FATAL, INFO, WARNING, Hit, Row, Table

_DEV = r"(?P<device>[\w-]{2,32})"
_SD = r"sd \d+:\d+:\d+:\d+: \[(?P<device>sd[a-z]+)\]"
TABLE = Table(
    Row(rf"(?:I/O|IO|critical \w{{3,20}}|protection|recovered|timeout) error, dev {_DEV}, sector \d+",
        "io-error", CRITICAL),
    Row(rf"operation not supported error, dev {_DEV}, sector \d+", "io-error", INFO),
    Row(rf"Buffer I/O error on dev(?:ice)? {_DEV}, ", "io-error", CRITICAL),
    Row(r"(?P<device>nvme\d+n\d+): .{1,40} @ LBA \d+, \d+ blocks, .{1,60}\(sct 0x[0-9a-f]+ / sc 0x[0-9a-f]+\)",
        "io-error", CRITICAL),
    Row(rf"lost (?:async|sync) page write .{{0,40}}dev {_DEV}", "io-error", CRITICAL),
    Row(r"nvme (?P<device>nvme\d+): (?:failed to set APST feature|Abort status|Shutdown timeout set)", "other", INFO),
    Row(r"nvme (?P<device>nvme\d+): I/O (?:tag )?\d+ .{0,60}timeout, completion polled", "other", INFO),
    Row(r"nvme (?P<device>nvme\d+): I/O (?:tag )?\d+ .{0,60}timeout", "timeout", WARNING),
    Row(r"nvme (?P<device>nvme\d+): .{0,40}[Tt]imeout", "timeout", WARNING),
    Row(r"nvme (?P<device>nvme\d+): controller is down; will reset", "reset", CRITICAL),
    Row(r"nvme (?P<device>nvme\d+): (?:resetting controller|Device not ready; aborting reset"
        "|Disabling device after reset failure|failed to mark controller)", "reset", CRITICAL),
    Row(r"nvme (?P<device>nvme\d+): (?:Removing after probe failure|Device not ready; aborting initiali[sz]ation"
        "|frozen state error|failed to reset)", "gone", FATAL),
    Row(r"nvme (?P<device>nvme\d+): .{0,40}(?:media error|medium read error|read-only mode"
        "|reliability .{0,20}degraded|spare below)", "media-error", CRITICAL),
    Row(rf"{_SD} .{{0,20}}Synchronize Cache.{{0,10}} failed", "gone", INFO),
    Row(rf"{_SD}.{{0,40}}hostbyte=DID_(?:TIME_OUT|NO_CONNECT|TRANSPORT_DISRUPTED|BAD_TARGET)", "timeout", CRITICAL),
    Row(rf"{_SD}.{{0,40}}Sense Key : (?:Medium Error|Hardware Error)", "media-error", CRITICAL),
    Row(r"sd \d+:\d+:\d+:\d+: (?:\[(?P<device>sd[a-z]+)\] )?.{0,40}"
        "(?:rejecting I/O to (?:offline|dead) device|Device offlined)", "gone", FATAL),
    Row(r"(?P<device>ata\d+(?:\.\d+)?): exception Emask 0x[0-9a-f]+ .{0,80}(?:frozen|action 0x[1-9a-f])",
        "timeout", CRITICAL),
    Row(r"(?P<device>ata\d+(?:\.\d+)?): (?:failed command: |COMRESET failed|hard resetting link"
        "|link is slow to respond|SError)", "reset", WARNING),
    Row(r"(?P<device>ata\d+(?:\.\d+)?): (?:disabled|disable device|detaching)", "gone", CRITICAL),
    Row(r"(?P<device>ata\d+(?:\.\d+)?): .{0,20}error: \{ (?:UNC|IDNF)", "media-error", CRITICAL),
    Row(r"(?:mpt[23]sas|mpt3sas|mptscsih|megaraid_sas|aacraid|hpsa|smartpqi|qla2xxx|lpfc)\S{0,20}[: ].{0,80}"
        "(?:fault_state|[Aa]dapter reset|[Cc]ontroller (?:reset(?! type)|lockup)|FW in FAULT|task abort|Host adapter "
        "abort)", "reset", CRITICAL),
    Row(r"scsi host\d+: .{0,60}(?:reset|timed out|aborting)", "reset", WARNING),
    Row(r"md/raid\S{0,10}:(?P<device>md\d+): Disk failure on (?P<path>[\w/]{1,40})", "gone", CRITICAL),
    Row(r"device-mapper: multipath: .{0,20}Failing path|multipathd?: .{0,60}(?:remaining active paths: 0|Failing path)",
        "gone", CRITICAL),
    Row("device-mapper: (?:thin|raid|verity|crypt|cache): .{0,80}"
        "(?:out of metadata space|switching pool to (?:read-only|failed)|corrupted)", "read-only", CRITICAL),
    Row(r"(?:connection\d+:\d+: .{0,20}ping timeout|session\d+: session recovery timed out"
        r"|connection\d+:\d+: detected conn error|iscsi: .{0,60}(?:timed out|detected conn error))",
        "timeout", CRITICAL),
    Row(r"(?:block )?(?P<device>nbd\d+): (?:Connection timed out|Receive (?:control|data) failed"
        "|Possible stuck request|Dead connection|shutting down sockets)", "timeout", CRITICAL),
    Row(r"(?:virtio_blk|virtio_scsi|xen_blkfront|blkfront) .{0,80}(?:timeout|timed out|reset|error)",
        "timeout", CRITICAL),
    Row(r"(?:end_request|print_req_error|blk_update_request): .{0,20}error", "other", WARNING),
)  # fmt: skip
# sector 33928 op 0x0:(READ)        I/O Cmd(0x2) @ LBA 120108825
_SECTOR = re.compile(r"(?:sector|LBA|logical block) (\d{1,20})")
_OPERATION = re.compile(r"op 0x[0-9a-f]{1,4}:\((\w{1,30})\)|lost (?:async|sync) page (write)")
_MEDIUM = re.compile(r"critical medium error|sct 0x2 ")  # NVMe status code type 2 is "media errors"
_WITHOUT_MEDIUM = re.compile(r"(?:fd|sr|scd)\d+$")


def read(text: Text) -> Iterator[Evidence]:
    for hit in TABLE.hits(text):
        yield _io_error(hit) if hit.row.about == "io-error" else _trouble(hit)


def _io_error(hit: Hit) -> BlockIoError:
    said = hit.message.message
    sector, operation = _SECTOR.search(said), _OPERATION.search(said)
    harmless = hit.subject.device is not None and _WITHOUT_MEDIUM.match(hit.subject.device)
    return BlockIoError(
        source=hit.log.source(hit.line),
        subject=hit.subject,
        stamp=hit.message.stamp,
        severity=INFO if harmless else hit.row.severity,
        operation=(operation[1] or operation[2]).lower() if operation else None,
        sector=int(sector[1]) if sector else None,
        medium_error=_MEDIUM.search(said) is not None,
    )


def _trouble(hit: Hit) -> BlockDeviceTrouble:
    return BlockDeviceTrouble(
        source=hit.log.source(hit.line),
        subject=hit.subject,
        stamp=hit.message.stamp,
        severity=hit.row.severity,
        about=hit.row.about,
        text=hit.message.message[:500],
    )


PARSER = Parser(
    tool="the kernel's block layer and disk drivers", medium="kernel-log", footprint=TABLE.footprint, read=read
)
