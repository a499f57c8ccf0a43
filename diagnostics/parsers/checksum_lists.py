"""Content hashes of files: md5sum and its family (also --tag and -b), b2sum, b3sum, xxhsum, cksum, hash manifests.

    a4c14c9712d95f886d575822d98051af  step_000010.pt
    SHA256 (model-00001.safetensors) = 61be55a8e2f6b4e172338bddf184d6dbee29c98853e0a0485ecee7f27b9af0b4
    XXH64 (model-00001.safetensors) = 1b00b0a90a478a4d
    3100911197 4 model-00001.safetensors

A relative name is read under the directory that the transcript last changed to (`$ cd /data; md5sum *`). The algorithm
is told by the tag, by a command line above, or by the length of the hash.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator

from ..evidence import Evidence, Source, Subject
from ..evidence.storage import Checksum
from ..text import Text
from . import Parser

# hash, a space, a space or '*', name; a leading backslash says that the name is escaped
PLAIN = re.compile(
    r"^\\?([0-9a-fA-F]{16}|[0-9a-fA-F]{32}|[0-9a-fA-F]{40}|[0-9a-fA-F]{56}|[0-9a-fA-F]{64}|[0-9a-fA-F]{96}"
    r"|[0-9a-fA-F]{128}) [ *](\S.{0,4000})$"
)
SHORT = re.compile(r"^([0-9a-f]{8}) {2}(\S.{0,4000})$")  # xxh32sum: too short to be taken for a hash by itself
TAGGED = re.compile(r"^\\?([A-Z][A-Za-z0-9_/-]{1,20}) ?\((.{1,4000})\) ?= ?([0-9a-fA-F]{8,128})$")
XXH3 = re.compile(r"^XXH3_([0-9a-fA-F]{16}) {2}(\S.{0,4000})$")
# SHA256          61BE55A8...          C:\\ckpt\\a.pt      (Get-FileHash)
POWERSHELL = re.compile(r"^(MD5|SHA1|SHA256|SHA384|SHA512) {2,20}([0-9A-F]{32,128}) {2,20}(\S.{0,4000})$")
# 1024,74b8...,61be...,/data/a.pt      (hashdeep)
HASHDEEP = re.compile(r"^(\d{1,18}),([0-9a-f]{32}),([0-9a-f]{64}),(\S.{0,4000})$")
CKSUM = re.compile(r"^(\d{6,10}) (\d{1,18}) (\S.{0,4000})$")
COMMAND = re.compile(
    r"\b(md5|sha1|sha224|sha256|sha384|sha512|b2|b3|xxh\d{2,3}|xxh)sum\b|\bshasum -a ?(\d{1,3})\b|\bcksum\b"
)
DIRECTORY = re.compile(r"^(?:\d\d:\d\d:\d\d )?[$#%] cd (/[^\s;&|]{0,1000})")
BY_LENGTH = {8: "xxh32", 16: "xxh64", 32: "md5", 40: "sha1", 56: "sha224", 64: "sha256", 96: "sha384", 128: "sha512"}
BY_COMMAND = {"b2": "blake2b", "b3": "blake3", "xxh": "xxh64", "xxh128": "xxh128", "xxh3": "xxh3"}


def read(text: Text) -> Iterator[Evidence]:
    directory = ""
    command: str | None = None
    for line in text.matching(INTERESTING):
        said = line.text[:5000]
        if found := DIRECTORY.match(said):
            directory = found[1]
        if (found := COMMAND.search(said)) and not PLAIN.match(said):
            command = BY_COMMAND.get(found[1] or "", found[1] or (f"sha{found[2]}" if found[2] else None))
        elif hashed := _hashed(said, command):
            algorithm, digest, name, size = hashed
            yield Checksum(
                source=Source(text.name, line.number, line.quote),
                subject=Subject(path=posixpath.join(directory, name.removeprefix("./"))),
                algorithm=algorithm,
                digest=digest.lower(),
                size=size,
            )


INTERESTING = re.compile(
    r"^\\?[0-9a-fA-F]{8,128} [ *]|\) ?= ?[0-9a-fA-F]{8}|^\d{6,10} \d{1,18} \S|sum\b|^XXH3_|[$#%] cd /"
    r"|^(?:MD5|SHA\d{1,3}) {2}|^\d{1,18},[0-9a-f]{32},"
)


def _hashed(said: str, command: str | None) -> tuple[str, str, str, int | None] | None:
    """(algorithm, digest, name, size in bytes) of a line, or None."""
    if found := PLAIN.match(said):
        usual = BY_LENGTH[len(found[1])]
        return command if command in _same_length(len(found[1])) else usual, found[1], found[2], None
    if found := TAGGED.match(said):
        return found[1].lower().replace("sha2-", "sha"), found[3], found[2], None
    if found := POWERSHELL.match(said):
        return found[1].lower(), found[2], found[3].strip(), None
    if found := HASHDEEP.match(said):
        return "sha256", found[3], found[4], int(found[1])
    if found := XXH3.match(said):
        return "xxh3", found[1], found[2], None
    if found := CKSUM.match(said):
        return "crc", found[1], found[3], int(found[2])
    if command and command.startswith("xxh") and (found := SHORT.match(said)):
        return "xxh32", found[1], found[2], None
    return None


def _same_length(length: int) -> tuple[str, ...]:
    return {16: ("xxh64", "xxh3"), 32: ("md5", "xxh128"), 64: ("sha256", "blake3"), 128: ("sha512", "blake2b")}.get(
        length, ()
    )


PARSER = Parser(
    tool="md5sum",
    medium="checksums",
    footprint=(
        r"^\\?[0-9a-fA-F]{32,128} [ *]\S|^[0-9a-f]{16} [ *]\S"
        r"|^\\?(MD5|SHA\d+|SHA1|BLAKE2b|BLAKE3|SM3|CRC|XXH\d+)(-\d+)? ?\(.+\) ?= ?[0-9a-fA-F]{8,}$"
        r"|^(MD5|SHA\d{1,3}) {2,20}[0-9A-F]{32,128} {2}|^\d{1,18},[0-9a-f]{32},[0-9a-f]{64},|^XXH3_[0-9a-f]{16}  \S"
        r"|^\d{6,10} \d{1,18} [^\s\d]\S*$"
    ),
    read=read,
)
