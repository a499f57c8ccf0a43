"""Panels without a browser: what they hold moves as a person's hand moves them, and nothing in them hangs."""

from __future__ import annotations

import io
import re
import tarfile
import time
import warnings
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import ipywidgets as widgets
import pytest

import diagnostics
from diagnostics import diagnose
from diagnostics.errors import UnreadableInput
from diagnostics.panels import (
    CheckpointsPanel,
    DiagnosisPanel,
    OpenPanel,
    PostmortemPanel,
    ProbePanel,
    TimelinePanel,
)
from diagnostics.panels.timeline import lines_around
from tests import story
from tests.faults.faultfs import FaultFS
from tests.faults.place import wait_for

DEADLINE_S = 60
WIDGETS = re.compile(r"^\s*(?:import|from) (?:ipywidgets|ipympl|traitlets)", re.MULTILINE)


@pytest.fixture
def hand(tmp_path: Path) -> story.Story:
    folder = tmp_path / "incident"
    folder.mkdir()
    return story.stalled(folder)


class Page(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)


def inside(widget: widgets.Widget) -> Iterator[widgets.Widget]:
    yield widget
    for child in getattr(widget, "children", ()):
        yield from inside(child)


def test_no_html_of_a_panel_holds_markup_of_the_incident(hand: story.Story) -> None:
    diagnosis = diagnose(hand.incident())
    for panel in (DiagnosisPanel(diagnosis), TimelinePanel(diagnosis.incident, [hand.folder], zoom=False)):
        for widget in inside(panel.widget):
            if isinstance(widget, widgets.HTML):
                assert not Page(widget.value).tags & {"script", "b", "img"}
        assert "script" not in Page(panel._html()).tags


def test_a_panel_shows_itself_as_a_widget_as_html_and_as_text(hand: story.Story) -> None:
    bundle = DiagnosisPanel(diagnose(hand.incident()))._repr_mimebundle_()
    assert set(bundle) >= {"application/vnd.jupyter.widget-view+json", "text/html", "text/plain"}
    assert bundle["text/plain"].startswith("<DiagnosisPanel: ")


def test_a_folder_opens_and_those_who_asked_are_told(hand: story.Story) -> None:
    panel = OpenPanel()
    heard: list[Any] = []
    panel.on_open(heard.append)
    panel.path.value = str(hand.folder)
    assert panel.wait(DEADLINE_S)
    assert panel.incident is not None
    assert heard == [panel]


def test_what_cannot_be_opened_leaves_the_panel_usable_and_says_why(tmp_path: Path, hand: story.Story) -> None:
    panel = OpenPanel()
    panel.path.value = str(tmp_path / "gone")
    assert panel.wait(DEADLINE_S)
    assert "does not exist" in panel.status.value
    assert panel.incident is None
    panel.path.value = str(hand.folder)
    assert panel.wait(DEADLINE_S)
    assert panel.incident is not None
    with pytest.raises(UnreadableInput):
        OpenPanel(tmp_path / "gone")


def upload(panel: OpenPanel, **files: bytes) -> None:
    panel._on_upload({"new": [{"name": name, "content": memoryview(data)} for name, data in files.items()]})
    assert panel.wait(DEADLINE_S)


def test_uploaded_files_and_archives_open_and_their_names_lead_nowhere(tmp_path: Path, hand: story.Story) -> None:
    panel = OpenPanel()
    files = {f"../../{path.name}": path.read_bytes() for path in hand.folder.iterdir()}
    upload(panel, **files)
    assert panel.incident is not None
    assert {each.file for each in panel.incident.coverage} == {path.name for path in hand.folder.iterdir()}
    assert not list(tmp_path.glob("*.log"))
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w:gz") as tar:
        tar.add(hand.folder, "incident")
    upload(panel, **{"incident.tar.gz": archive.getvalue()})
    assert panel.incident.evidence
    upload(panel, **{"broken.tar.gz": archive.getvalue()[:40], "..": b"\0\1"})
    assert panel.incident is not None


def test_a_what_if_moves_the_verdict_at_once_and_back(hand: story.Story) -> None:
    panel = DiagnosisPanel(diagnose(hand.incident()))
    before = panel.diagnosis.hypotheses[0].posterior
    panel.symptoms["volume-io-blocked"].value = False
    assert panel.diagnosis.hypotheses[0].posterior < before
    assert "becomes" in panel.moved.value
    panel.reset()
    assert panel.diagnosis.hypotheses[0].posterior == before
    panel.sources["proc_stacks.txt"].value = False
    assert not any(fact.source.file == "proc_stacks.txt" for fact in panel.diagnosis.incident.evidence)


def test_the_timeline_is_brushed_and_shows_the_lines_around_a_fact(hand: story.Story) -> None:
    panel = TimelinePanel(hand.incident(), [hand.folder], zoom=False)
    everything = len(panel.shown)
    panel.severity.value = "critical"
    assert [fact.kind for fact in panel.shown] == ["python_exception"]
    panel.facts.value = 0
    assert "step 20 | loss" in panel.lines.value
    assert "&lt;script&gt;" in panel.lines.value
    panel.severity.value = "info"
    panel.subject.value = "pt_data_worker"
    assert 0 < len(panel.shown) < everything


def test_a_mark_of_the_timeline_stands_for_its_fact(hand: story.Story) -> None:
    from diagnostics.plots import plot_timeline

    figure = plot_timeline(hand.incident())
    for mark in figure.axes[0].collections:
        facts = figure.marks[str(mark.get_gid())]
        assert len(facts) == len(mark.get_offsets())  # type: ignore[arg-type]
        assert {fact.severity.value for fact in facts} == {mark.get_gid()}


def test_lines_of_a_file_that_is_gone_are_its_quote(hand: story.Story) -> None:
    source = hand.facts[1].source
    (hand.folder / source.file).unlink()
    assert lines_around([hand.folder], source) == [(source.line, source.quote)]


def test_probes_run_beside_the_kernel_and_move_the_verdict(tmp_path: Path, hand: story.Story) -> None:
    panel = ProbePanel([str(tmp_path)], diagnose(hand.incident()))
    panel.size.value = 8
    panel.questions.value = ("stat", "statfs", "readdir", "read-workers", "write-file")
    panel.begin_probing()
    assert panel.busy
    assert panel.wait(DEADLINE_S)
    assert len(panel.report.answers) > 3
    assert "Now: " in panel.status.value
    assert not panel.begin.disabled
    assert [path.name for path in tmp_path.glob(".diagnostics-probe-*")] == []


def test_probes_are_cancelled_at_once(tmp_path: Path) -> None:
    panel = ProbePanel([str(tmp_path)])
    panel.begin_probing()
    panel.stop.click()
    assert panel.wait(DEADLINE_S)
    assert panel.report.cancelled
    assert "cancelled" in panel.status.value
    assert not list(tmp_path.glob(".diagnostics-probe-*"))


@pytest.mark.root
@pytest.mark.fuse
@pytest.mark.slow
def test_a_volume_that_never_answers_blocks_neither_the_kernel_nor_the_next_click(faultfs: FaultFS) -> None:
    (faultfs.backing / "shard.bin").write_bytes(b"x" * 100_000)
    panel = ProbePanel([str(faultfs.mount)])
    panel.questions.value = ("stat", "read-data", "readdir")
    faultfs.fail(hang=["read", "getattr", "readdir"])
    began = time.monotonic()
    panel.begin_probing()
    assert time.monotonic() - began < 1.0
    wait_for(lambda: "read-data" in panel.doing.value or not panel.busy, "a question to be asked", DEADLINE_S)
    panel.stop.click()
    assert panel.wait(DEADLINE_S)
    assert panel.report.cancelled or [each for each in panel.report.answers if each.outcome == "silent"]
    assert not panel.begin.disabled


def test_checkpoints_are_told_apart_and_nothing_is_deleted(tmp_path: Path) -> None:
    from diagnostics.checkpoints import publish_bytes

    for step in (10, 20, 30):
        publish_bytes(tmp_path, b"x" * 1000, step=step, name=f"step_{step:08d}.bin")
    names = sorted(path.name for path in tmp_path.iterdir())
    (tmp_path / "step_00000030.bin").write_bytes(b"x" * 10)
    panel = CheckpointsPanel(tmp_path)
    assert panel.resume is not None
    assert panel.resume.step == 20
    assert "1 broken" in panel.status.value
    assert sorted(path.name for path in tmp_path.iterdir()) == names
    panel.directories.value = str(tmp_path / "gone")
    panel.look.click()
    assert panel.wait(DEADLINE_S)
    assert "cannot be listed" in panel.status.value
    assert not panel.look.disabled


@pytest.mark.parametrize("ending", [".md", ".html"])
def test_the_write_up_is_filled_in_saved_and_read_back(tmp_path: Path, hand: story.Story, ending: str) -> None:
    diagnosis = diagnose(hand.incident())
    panel = PostmortemPanel(diagnosis, [hand.folder], str(tmp_path / f"postmortem{ending}"))
    panel.blanks["lessons"].value = "Look <there> first."
    assert panel.save(ending) == tmp_path / f"postmortem{ending}"
    again = PostmortemPanel(diagnosis, [hand.folder], str(tmp_path / f"postmortem{ending}"))
    assert again.blanks["lessons"].value == "Look <there> first."
    assert "Look &amp;lt;there&amp;gt; first." in again.preview.value


def test_a_write_up_that_cannot_be_saved_says_why(tmp_path: Path, hand: story.Story) -> None:
    panel = PostmortemPanel(diagnose(hand.incident()), [hand.folder], str(tmp_path / "nowhere" / "p.md"))
    assert panel.save(".md") is None
    assert "cannot be written" in panel.status.value
    (tmp_path / "mine.md").write_text("my own notes")
    panel.path.value = str(tmp_path / "mine.md")
    assert panel.save(".md") is None
    assert (tmp_path / "mine.md").read_text() == "my own notes"


def test_the_preview_is_framed_so_that_nothing_in_it_runs(hand: story.Story) -> None:
    panel = PostmortemPanel(diagnose(hand.incident()))
    assert panel.preview.value.startswith("<iframe sandbox=''")
    assert Page(panel.preview.value).tags == {"iframe"}


def test_widgets_are_imported_in_this_room_alone() -> None:
    package = Path(diagnostics.__file__).parent
    users = {path.relative_to(package).parts[0] for path in package.rglob("*.py") if WIDGETS.search(path.read_text())}
    assert users == {"panels"}


def test_the_zoomable_timeline_needs_no_pyplot_figure(hand: story.Story) -> None:
    import matplotlib.pyplot as plt

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        TimelinePanel(hand.incident(), [hand.folder])
    assert plt.get_fignums() == []
