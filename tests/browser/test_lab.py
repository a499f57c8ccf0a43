"""Every notebook in a real JupyterLab, and every panel used as a person would use it.

Screenshots in both themes are left in .artifacts/notebooks.
"""

from __future__ import annotations

import json
import re
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.browser.lab import BROWSER, FLAGS, ROOT, Lab, jupyterlab

playwright = pytest.importorskip("playwright.sync_api")
pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.timeout(400),
    pytest.mark.skipif(BROWSER is None, reason="no Chromium"),
]
SOON = 60_000  # milliseconds


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str, Path]]:
    folder = tmp_path_factory.mktemp("lab")
    with jupyterlab(folder) as (address, token):
        yield address, token, folder / "work"


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with playwright.sync_playwright() as driver:
        found = driver.chromium.launch(executable_path=BROWSER, headless=True, args=FLAGS)
        yield found
        found.close()


@pytest.fixture
def lab(server: tuple[str, str, Path], browser: Any) -> Iterator[Lab]:
    page = browser.new_page(viewport={"width": 1280, "height": 1600})
    lab = Lab(page, server[0], server[1])
    yield lab
    assert lab.offsite == []
    assert lab.errors == []
    page.close()


def run(lab: Lab, notebook: str) -> Any:
    lab.open(notebook)
    lab.run_all()
    assert lab.errors_shown() == []
    return lab.page


def says(page: Any, words: str) -> None:
    playwright.expect(page.get_by_role("status").filter(has_text=re.compile(words)).first).to_be_visible(timeout=SOON)


HOSTILE = """step 1 | loss 2.0 | <script>document.title = 'owned'</script> <img src=x onerror="document.title = 'owned'">
RuntimeError: $x^2 + y^{2}$ and $$\\frac{1}{2}$$ \x1b[31mred\x1b[0m [link](javascript:alert(1)) <b>bold</b>
2026-11-29 12:00:00 [watchdog] STALE: no output for 54s (limit 50s), sending SIGKILL to $y_1$ <i>42</i>
"""
CELLS = (
    "from diagnostics import diagnose, display, open_incident, panels, postmortem\n"
    "incident = open_incident('../hostile')\ndisplay.show_facts(incident)",
    "postmortem.write_postmortem(diagnose(incident))",
    "panels.DiagnosisPanel(diagnose(incident))",
    "panels.TimelinePanel(incident, ['../hostile'])",
    "panels.PostmortemPanel(diagnose(incident), ['../hostile'])",
)


def test_a_hostile_log_is_shown_and_does_nothing(lab: Lab, server: tuple[str, str, Path]) -> None:
    work = server[2]
    (work / "hostile").mkdir()
    (work / "hostile" / "train.log").write_text(HOSTILE)
    write_notebook(work / "notebooks" / "hostile.ipynb", CELLS)
    page = run(lab, "hostile")
    playwright.expect(page.locator(".jp-RenderedHTML").first).to_contain_text("$x^2")
    assert page.locator("mjx-container, .MathJax").count() == 0
    shown = page.locator(".jp-OutputArea-output")
    assert shown.locator("script, img[onerror], a[href^=javascript]").count() == 0
    assert shown.locator("i, b", has_text=re.compile("^(42|bold)$")).count() == 0
    assert "owned" not in page.title()


def write_notebook(path: Path, cells: tuple[str, ...]) -> None:
    code = [
        {"cell_type": "code", "id": f"c{n}", "metadata": {}, "outputs": [], "execution_count": None, "source": source}
        for n, source in enumerate(cells)
    ]
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    path.write_text(json.dumps({"cells": code, "metadata": kernel, "nbformat": 4, "nbformat_minor": 5}))


def test_start_here_names_the_cause(lab: Lab) -> None:
    page = run(lab, "00_start_here")
    playwright.expect(page.locator(".jp-RenderedHTML").first).to_contain_text("network volume on /workspace/mfs/mnt")
    lab.shoot("00_start_here")


def test_triage_brushes_the_timeline_and_opens_another_incident(lab: Lab, tmp_path: Path) -> None:
    page = run(lab, "01_triage")
    page.get_by_label("At least").select_option("critical")
    facts = page.locator(".widget-select select")
    playwright.expect(facts.locator("option").first).to_contain_text("critical", timeout=SOON)
    # with the keyboard: the first fact's line is shown among its neighbours
    facts.focus()
    facts.press("Home")
    around = page.locator(".widget-html pre")
    playwright.expect(around.first).to_be_visible(timeout=SOON)
    click_a_mark(page)
    lab.shoot("01_triage")
    archive = tmp_path / "mine.tar.gz"
    with tarfile.open(archive, "w:gz") as tar:
        tar.add(ROOT / "sample_logs" / "fork_deadlock", "fork_deadlock")
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name=re.compile("Upload files")).click()
    chooser.value.set_files(str(archive))
    says(page, r"Incident mine\.tar\.gz: \d+ facts")
    page.get_by_role("button", name="Collect from this pod").click()
    says(page, r"Incident incident-\w+: \d+ facts")
    path = page.get_by_label("Folder, archive or file")
    path.fill("/there/is/no/such/folder")
    path.press("Enter")
    says(page, "does not exist")


def click_a_mark(page: Any) -> None:
    """Click along the rows of the timeline until a mark answers."""
    canvas = page.locator(".jupyter-matplotlib-canvas-div canvas").last
    box = canvas.bounding_box()
    chosen = page.locator(".widget-select select")
    chosen.evaluate("select => { select.selectedIndex = -1 }")
    before = page.locator(".widget-html pre").first.inner_text()
    for down in range(6, 60, 2):
        for right in range(16, 72, 3):
            page.mouse.click(box["x"] + box["width"] * right / 100, box["y"] + box["height"] * down / 100)
            if page.locator(".widget-html pre").first.inner_text() != before:
                return
    raise AssertionError("no mark of the timeline answered a click")


def test_root_cause_moves_at_once_when_a_symptom_is_left_out(lab: Lab) -> None:
    page = run(lab, "02_root_cause")
    what_if = page.get_by_text("What if a source had not been collected")
    what_if.click()
    box = page.get_by_label("syslog.txt", exact=True)
    box.focus()
    box.press("Space")
    says(page, r"without syslog\.txt: the verdict stays root-cause")
    page.get_by_role("button", name="Back to all the evidence").click()
    playwright.expect(box).to_be_checked(timeout=SOON)
    playwright.expect(page.get_by_text(re.compile("^without syslog"))).to_have_count(0, timeout=SOON)
    page.get_by_role("tab", name="Chain").click()
    playwright.expect(page.locator(".widget-image").first).to_be_visible(timeout=SOON)
    lab.shoot("02_root_cause")


def test_probes_start_answer_and_are_cancelled(lab: Lab) -> None:
    page = run(lab, "03_live_probes")
    questions = page.get_by_label("Questions")
    titles = [str(text).strip() for text in questions.locator("option").all_inner_texts()]
    questions.select_option(
        label=[each for each in titles if each.startswith(("stat:", "read-workers:", "write-file:"))]
    )
    page.get_by_role("button", name="Start", exact=True).click()
    says(page, r"\d+ questions asked, 0 without an answer\. Before: .* Now: ")
    lab.shoot("03_live_probes")
    questions.select_option([])
    page.get_by_role("button", name="Start", exact=True).click()
    page.get_by_role("button", name="Cancel").click()
    says(page, "cancelled")


def test_checkpoints_are_looked_at_again(lab: Lab) -> None:
    page = run(lab, "04_checkpoints")
    says(page, "6 found, 1 broken")
    page.get_by_label("read to the end and compare hashes").check()
    page.get_by_role("button", name="Verify").click()
    says(page, "6 found, 2 broken")
    lab.shoot("04_checkpoints")


def test_the_write_up_is_filled_in_previewed_and_saved(lab: Lab, server: tuple[str, str, Path], tmp_path: Path) -> None:
    page = run(lab, "05_postmortem")
    page.get_by_text("Lessons", exact=True).last.click()
    lesson = page.get_by_label(re.compile("what this teaches"))
    lesson.fill("Nothing on the network volume while training.")
    page.get_by_role("button", name="Preview").click()
    shown = page.frame_locator("iframe[title='preview of the write-up']")
    playwright.expect(shown.locator("#lessons")).to_contain_text("Nothing on the network volume", timeout=SOON)
    save_as = page.get_by_label("Save as")
    save_as.fill(str(tmp_path / "mine"))
    save_as.press("Enter")
    page.get_by_role("button", name="Save .html").click()
    says(page, r"saved .*mine\.html")
    assert "Nothing on the network volume while training." in (tmp_path / "mine.html").read_text()
    lab.shoot("05_postmortem")
