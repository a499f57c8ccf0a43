"""The library: every block is of its form, its labels are known, and nothing of it is told twice."""

from __future__ import annotations

import ipaddress
import re
from pathlib import Path

import pytest

from diagnostics.causes import all_causes
from diagnostics.precedents.comparison import LABELS_OF_NO_CAUSE
from diagnostics.precedents.library import FOLDER, digest, precedents, precedents_in, read_precedent
from diagnostics.precedents.model import MODEL, Model
from diagnostics.precedents.wording import shape

LIBRARY = list(precedents())


def test_every_cause_has_many_precedents() -> None:
    held = [label for each in LIBRARY for label in each.labels]
    assert set(held) == {*all_causes(), *LABELS_OF_NO_CAUSE}
    assert min(held.count(label) for label in set(held)) >= 20


def test_a_file_holds_what_its_name_says() -> None:
    for file in FOLDER.glob("*.txt"):
        assert {each.labels[0] for each in precedents_in(file)} == {file.stem}


def test_no_precedent_is_told_twice() -> None:
    told = ["\n".join(each.artefacts.values()) for each in LIBRARY]
    assert len(told) == len(set(told))


ADDRESS = re.compile(r"\b(?:\d{1,3}\.){3}\d{1,3}\b")
MAIL = re.compile(r"\b[\w.+-]+@[\w-]+(?:\.[\w-]+)*\.(?:com|org|net|edu|gov|io|de|cn|uk|fr|ch|jp)\b")
NOBODYS = (
    "@example.org",
    ".example.org",
    "@example.com",
    ".example.com",
    "fsync@openssh.com",
)  # the last is an extension of SFTP


def test_nothing_in_a_precedent_says_whose_it_is() -> None:
    for each in LIBRARY:
        assert each.source
        assert len(each.source) < 160
        text = "\n".join(each.artefacts.values())
        assert all(mail.endswith(NOBODYS) for mail in MAIL.findall(text)), each.source
        assert not [found for found in ADDRESS.findall(text) if _is_public(found)], each.source


def _is_public(text: str) -> bool:
    """True for an address of somebody's machine: not private, not for documentation, not a version of four numbers."""
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return False
    return address.is_global and not address.is_multicast and int(text.split(".")[0]) > 20


def test_a_block_is_read() -> None:
    found = read_precedent(
        "disk-full, quota-exceeded\nsource: a/b#7, shortened\n--- train.log\nENOSPC\n--- --- \n--- df.txt\n100%\n"
    )
    assert found.labels == ("disk-full", "quota-exceeded")
    assert (found.source, found.thread, found.is_public) == ("a/b#7, shortened", "a/b#7", True)
    assert found.artefacts == {"train.log": "ENOSPC\n--- --- \n", "df.txt": "100%\n"}
    assert list(found.lines) == ["train.log", "ENOSPC", "--- --- ", "df.txt", "100%"]


TWICE = "disk-full\nsource: a/b#7\n--- a.txt\nx\n--- a.txt\ny\n"


@pytest.mark.parametrize("block", ["disk-full\n--- a.txt\nx\n", "disk-full\nsource: a/b#7\n", "", TWICE])
def test_a_block_that_is_not_of_the_form_is_refused(block: str) -> None:
    with pytest.raises(ValueError, match=r"a precedent has labels|two artefacts of one name"):
        read_precedent(block)


def test_the_model_was_learned_from_this_library() -> None:
    assert Model.load().digest == digest(), "run: python scripts/precedents.py"


def test_the_digest_is_of_names_and_contents(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("### x\n")
    before = digest(tmp_path)
    (tmp_path / "a.txt").rename(tmp_path / "b.txt")
    assert digest(tmp_path) != before


def test_shapes_leave_case_and_numbers_out() -> None:
    assert shape("[ 8123.17] NFS: server 192.0.2.7 Not responding") == "[ 0.0] nfs: server 0.0.0.0 not responding"


def test_the_model_is_small() -> None:
    assert MODEL.stat().st_size < 2_000_000
