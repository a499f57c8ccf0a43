"""The write-up: every claim resolves, blanks are blank, what people wrote stays, nothing in a log becomes markup."""

from __future__ import annotations

import html.parser
import json
import re
import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from diagnostics import cli, diagnose, open_incident
from diagnostics.diagnosis import Diagnosis
from diagnostics.errors import DiagnosticsError
from diagnostics.evidence import Source, Subject
from diagnostics.evidence.job import PythonException
from diagnostics.incident import Incident
from diagnostics.postmortem import Blank, Postmortem, Rates, Said, read_written, save, write_postmortem
from diagnostics.postmortem.happened import EVENTS_SHOWN, Event, thinned
from diagnostics.postmortem.impact import Loss, losses_of
from diagnostics.postmortem.markdown import escape, format_markdown
from diagnostics.postmortem.notebook import format_notebook
from diagnostics.postmortem.page import format_page
from diagnostics.postmortem.pdf import browser
from diagnostics.postmortem.pseudonyms import Pseudonyms
from diagnostics.postmortem.written import mark, marked
from tests import story


@pytest.fixture
def hand(tmp_path: Path) -> story.Story:
    folder = tmp_path / "incident"
    folder.mkdir()
    return story.stalled(folder)


@pytest.fixture
def diagnosis(hand: story.Story) -> Diagnosis:
    return diagnose(hand.incident())


SAMPLES = sorted(path for path in (Path(__file__).parents[2] / "sample_logs").iterdir() if path.is_dir())


FORK_DEADLOCK = Path(__file__).parents[2] / "sample_logs" / "fork_deadlock"


def resolves(folder: Path, source: Source) -> bool:
    lines = (folder / source.file).read_bytes().decode().split("\n")
    return source.line == 0 or lines[source.line - 1] == source.quote


def test_every_claim_stands_on_lines_that_are_there_or_names_its_table(hand: story.Story, diagnosis: Diagnosis) -> None:
    postmortem = write_postmortem(diagnosis)
    claims = [item for item in postmortem.items if isinstance(item, Said) and item.text]
    assert len(claims) > 20
    for claim in claims:
        assert claim.sources or claim.basis, claim.text
        assert all(resolves(hand.folder, source) for source in claim.sources), claim


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.name)
def test_every_claim_about_a_real_incident_resolves(sample: Path) -> None:
    postmortem = write_postmortem(diagnose(open_incident(sample)))
    for claim in (item for item in postmortem.items if isinstance(item, Said) and item.text):
        assert claim.sources or claim.basis, claim.text
    for source in postmortem.cited:
        if source.line:
            lines = (sample / source.file).read_text(errors="replace").split("\n")
            assert lines[source.line - 1].rstrip("\r").startswith(source.quote[:200].rstrip("\r")), source


def test_every_citation_in_the_text_has_its_line_in_the_appendix(diagnosis: Diagnosis) -> None:
    postmortem = write_postmortem(diagnosis)
    text = format_markdown(postmortem)
    body, _, appendix = text.partition("## Appendix")
    cited = set(re.findall(r"\(#(cite-\d+)\)", body))
    assert cited
    assert cited <= set(re.findall(r'<a id="(cite-\d+)">', appendix))
    page = format_page(postmortem)
    assert set(re.findall(r'href="#(cite-\d+)"', page)) <= set(re.findall(r'id="(cite-\d+)"', page))


def test_the_sections_are_those_of_a_postmortem(diagnosis: Diagnosis) -> None:
    titles = [section.title for section in write_postmortem(diagnosis).sections]
    assert titles == [
        "Summary",
        "Impact",
        "Timeline",
        "Detection",
        "Root cause",
        "Wrong suspects, and why they were rejected",
        "Contributing factors",
        "Resolution",
        "What went well, badly, and by luck",
        "Action items",
        "Lessons",
        "What was read",
    ]


def section_text(postmortem: Postmortem, key: str) -> str:
    from diagnostics.postmortem.document import items_of

    section = next(each for each in postmortem.sections if each.key == key)
    return "\n".join(item.text for block in section.blocks for item in items_of(block))


def test_impact_counts_steps_since_the_last_whole_checkpoint(hand: story.Story) -> None:
    assert "step 10 (nobody verified its content)\n10\n60 s" in section_text(
        write_postmortem(diagnose(hand.incident())), "impact"
    )
    story.verdict(hand, "differs")
    assert "none was saved before\n20\n" in section_text(write_postmortem(diagnose(hand.incident())), "impact")


def test_an_excerpt_of_a_log_is_not_counted_as_a_whole_run(tmp_path: Path) -> None:
    lines = [
        f"2026-03-02 10:00:{n:02},310 INFO step {500 + n * 10} | loss 4.{n}00 | step_time 0.100s" for n in range(9)
    ]
    (tmp_path / "train.log").write_text("\n".join(lines) + "\n")
    told = section_text(write_postmortem(diagnose(open_incident(tmp_path))), "impact")
    assert "none in this log, which begins at step 500\nat least 81 if it has ended, which nothing says" in told
    assert "none was saved" not in told
    (tmp_path / "exit_status.txt").write_text("2026-03-02 10:01:00 trainer exited with status 1\n")
    postmortem = write_postmortem(diagnose(open_incident(tmp_path)))
    assert "at least 81\n52 s" in section_text(postmortem, "impact")
    assert "1 run lost at least 81 steps in all." in section_text(postmortem, "summary")


def losses(folder: Path, log: str, **others: str) -> list[Loss]:
    (folder / "train.log").write_text(log)
    for name, text in others.items():
        (folder / f"{name}.txt").write_text(text)
    return losses_of(open_incident(folder))


def steps(*numbers: int, minute: int = 0, who: str = "") -> str:
    return "".join(f"2026-03-02 10:{minute:02}:{n % 60:02} INFO {who}step {n} | loss 4.100\n" for n in numbers)


def test_a_checkpoint_of_an_earlier_run_keeps_nothing_of_one_that_began_afresh(tmp_path: Path) -> None:
    log = steps(*range(1, 31)) + "2026-03-02 10:00:31 INFO saved /ckpt/step_20.pt at step 20\n"
    for numbers, kept, lost in ((range(1, 13), None, 12), (range(21, 27), 20, 6)):
        found = losses(tmp_path, log + steps(*numbers, minute=5))
        assert [(loss.steps, loss.kept and loss.kept.step) for loss in found] == [(10, 20), (lost, kept)]


def test_a_run_that_says_what_it_resumes_from_is_no_excerpt(tmp_path: Path) -> None:
    resumed = "2026-03-02 09:59:00 INFO resumed from /ckpt/step_490.pt at step 490\n"
    log = steps(*range(500, 590, 10))
    assert losses(tmp_path, log)[0].told == "at least 81 if it has ended, which nothing says"
    assert losses(tmp_path, resumed + log)[0].told == "90 if it has ended, which nothing says"


def test_a_log_that_writes_each_tenth_step_began_with_the_first(tmp_path: Path) -> None:
    assert losses(tmp_path, steps(*range(10, 60, 10)))[0].steps == 50


def test_two_ranks_in_one_log_are_one_run(tmp_path: Path) -> None:
    log = "".join(steps(n, who=f"[rank{rank}] ") for n in range(1, 9) for rank in (0, 1))
    found = losses(tmp_path, log, exit_status="2026-03-02 10:01:00 trainer exited with status 1\n")
    assert [(loss.steps, loss.idle_s) for loss in found] == [(8, 52.0)]


def test_the_cost_of_an_excerpt_is_the_least_that_it_can_be(tmp_path: Path) -> None:
    losses(tmp_path, steps(*range(500, 590, 10)), exit_status="2026-03-02 10:01:00 trainer exited with status 1\n")
    told = section_text(write_postmortem(diagnose(open_incident(tmp_path)), rates=Rates(8, 3.0)), "impact")
    assert re.search(r"^at least \S+ GPU-\w+ of work lost, on 8 GPUs$", told, re.M)
    assert re.search(r"^at least \S+ USD at 3.00 USD per GPU-hour$", told, re.M)


def test_cost_is_a_blank_until_somebody_gives_gpus_and_a_rate(diagnosis: Diagnosis) -> None:
    assert "____ (fill in: what it cost, and at which rate)" in section_text(write_postmortem(diagnosis), "impact")
    # from the save at 10.5 s to the kill at 80 s, on 8 GPUs at 3 USD
    priced = section_text(write_postmortem(diagnosis, rates=Rates(8, 3.0)), "impact")
    assert "0.15 GPU-hours of work lost, on 8 GPUs" in priced
    assert "0.46 USD at 3.00 USD per GPU-hour" in priced


def events(count: int, **roles: str) -> list[Event]:
    """A minute apart; `at_50="initiating"` gives one its role."""
    start = datetime(2026, 11, 29, 13, 0, tzinfo=UTC)
    return [
        Event(start + timedelta(minutes=n), f"event {n}", Source("a.log", n + 1, ""), roles.get(f"at_{n}", ""))
        for n in range(count)
    ]


def test_of_too_many_events_the_ends_and_the_initiating_ones_are_told_and_the_others_counted() -> None:
    told = thinned(events(100, at_50="initiating", at_51="cascade"))
    assert len([each for each in told if isinstance(each, Event)]) == EVENTS_SHOWN
    assert [each.text for each in told[19:24]] == [
        "event 19",
        "30 events between 2026-11-29 13:20:00 and 2026-11-29 13:49:00 are left out",
        "event 50",
        "30 events between 2026-11-29 13:51:00 and 2026-11-29 14:20:00 are left out",
        "event 81",
    ]
    assert (told[0].text, told[-1].text) == ("event 0", "event 99")


def test_the_first_and_the_last_event_are_told_beside_any_number_of_initiating_ones() -> None:
    told = thinned(events(100, **{f"at_{n}": "initiating" for n in range(20, 80)}))
    assert (told[0].text, told[-1].text) == ("event 0", "event 99")
    assert sum(1 for each in told if isinstance(each, Event) and each.role) == EVENTS_SHOWN - 2


def test_few_events_are_all_told() -> None:
    assert thinned(events(EVENTS_SHOWN)) == events(EVENTS_SHOWN)


def test_the_write_up_says_how_many_events_and_clocks_it_leaves_out(monkeypatch: pytest.MonkeyPatch) -> None:
    diagnosis = diagnose(open_incident(FORK_DEADLOCK.with_name("five_symptoms")))
    whole = section_text(write_postmortem(diagnosis), "timeline")
    assert "left out" not in whole
    monkeypatch.setattr("diagnostics.postmortem.happened.EVENTS_SHOWN", 2)
    monkeypatch.setattr("diagnostics.postmortem.writing.CLOCKS_SHOWN", 0)
    text = section_text(write_postmortem(diagnosis), "timeline")
    assert re.search(r"^\d+ events between 20.* and 20.* are left out$", text, re.M)
    assert re.search(r"^\d+ more clocks? (?:is|are) left out$", text, re.M)


@pytest.mark.parametrize("suffix", [".md", ".html", ".ipynb"])
def test_what_people_wrote_is_kept(tmp_path: Path, diagnosis: Diagnosis, suffix: str) -> None:
    file = tmp_path / f"postmortem{suffix}"
    written = {"lessons": "Read it back & <b>compare</b>.\nTwice.", "went-lucky": "A second disk."}
    save(write_postmortem(diagnosis, written=written, mask=["users"]), file)
    assert read_written(file) == written
    save(write_postmortem(diagnosis, written=read_written(file), mask=["users"]), file)
    assert read_written(file) == written


def test_what_has_no_blank_any_more_is_kept_too(diagnosis: Diagnosis) -> None:
    text = format_markdown(write_postmortem(diagnosis, written={"gone-owner": "Ada"}))
    assert marked(text)["gone-owner"] == "Ada"
    assert "Kept from an earlier version" in text


def test_a_mark_inside_what_people_wrote_ends_nothing() -> None:
    said = "before <!-- end people --> after"
    assert set(marked(mark("lessons", said) + mark("well", "yes"))) == {"lessons", "well"}
    assert "after" in marked(mark("lessons", said))["lessons"]


def test_torn_marks_are_read_as_far_as_they_go() -> None:
    assert marked("<!-- people: a -->x<!-- end people --><!-- people: b -->y") == {"a": "x"}
    assert marked("<!-- people: " * 100_000) == {}


def test_a_file_of_somebody_else_is_never_written_over(tmp_path: Path) -> None:
    mine = tmp_path / "notes.md"
    mine.write_text("my own notes")
    with pytest.raises(DiagnosticsError, match="no write-up of this program"):
        read_written(mine)


class Tags(html.parser.HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.seen: set[str] = set()
        self.addresses: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.add(tag)
        self.addresses += [value or "" for name, value in attrs if name in ("href", "src")]


def test_no_log_line_becomes_markup_in_the_page(diagnosis: Diagnosis) -> None:
    page = format_page(write_postmortem(diagnosis, written={"lessons": "<img src=x onerror=alert(1)>"}))
    tags = Tags()
    tags.feed(page)
    assert "alert(1)" in page
    assert not tags.seen & {"script", "b"}
    assert all(address.startswith(("#", "data:image/png;base64,")) for address in tags.addresses)
    assert "\x1b" not in page
    assert "\u202e" not in page


def test_no_log_line_becomes_markup_in_markdown(diagnosis: Diagnosis) -> None:
    text = format_markdown(write_postmortem(diagnosis))
    outside = re.sub(r"(`{3,})text\n.*?\n\1", "", text, flags=re.DOTALL)
    assert "<script" not in outside
    assert "](d)" not in outside.replace(r"\]", "")
    assert text.count("<!-- end people -->") >= text.count("<!-- people: ")
    assert "\x1b" not in text
    for row in re.findall(r"^\|.*\|$", outside, flags=re.MULTILINE):
        assert "$" not in row


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("# no heading", r"\# no heading"),
        ("1. no list", r"1\. no list"),
        ("pt_data_worker", "pt_data_worker"),
        ("_not_ *this*", r"\_not\_ \*this\*"),
        ("a | b", r"a \| b"),
        ("two\nlines", "two lines"),
        ("$x$", "<span>&#36;</span>x<span>&#36;</span>"),
        ("<b>&amp;", "&lt;b&gt;&amp;amp;"),
    ],
)
def test_markdown_says_just_what_the_text_says(text: str, shown: str) -> None:
    assert escape(text) == shown


def test_a_fence_in_a_quoted_line_does_not_end_the_quotation(tmp_path: Path) -> None:
    hand = story.stalled(tmp_path, "```` and </pre>")
    text = format_markdown(write_postmortem(diagnose(hand.incident())))
    assert re.search(r"^`````text\nRuntimeError: ```` and </pre>\n`````$", text, flags=re.MULTILINE)


def test_a_mask_reaches_every_string_and_names_the_same_thing_alike(hand: story.Story) -> None:
    hand.write("train.log", "HF_TOKEN=hf_abcdefghijklmnopqrstuv")
    diagnosis = diagnose(hand.incident())
    written = {"lessons": "10.0.0.1 again, HF_TOKEN=hf_abcdefghijklmnopqrstuv"}
    postmortem = write_postmortem(diagnosis, written=written, mask=["addresses", "paths"])
    for text in (format_markdown(postmortem), format_page(postmortem), format_notebook(postmortem, [])):
        assert "10.0.0.1" not in text
        assert "address-1 again" in text
        assert "address-1:9421" in text
        assert "/ckpt/step_10" not in text
        assert "hf_abc" not in text
    assert postmortem.diagnosis is None


MACHINES = ("acme-node-17", "acme-node-18")


@pytest.fixture(scope="module")
def two_machines(tmp_path_factory: pytest.TempPathFactory) -> Diagnosis:
    """What two machines told, in a folder and a log that are named after a project."""
    folder = tmp_path_factory.mktemp("data") / "zephyr"
    for machine, sample in zip(MACHINES, ("fork_deadlock", "watchdog_too_short"), strict=True):
        shutil.copytree(FORK_DEADLOCK.with_name(sample), folder / machine)
        (folder / machine / "train.log").rename(folder / machine / "zephyr.log")
    return diagnose(open_incident(folder))


@pytest.mark.parametrize(
    ("mask", "hidden", "cited"),
    [
        (["hosts"], MACHINES, r"host-\d/zephyr.log"),
        (["paths"], (*MACHINES, "zephyr"), r"p\d+/p\d+.log"),
        (["hosts", "paths"], (*MACHINES, "zephyr"), r"host-\d/p\d+.log"),
    ],
)
def test_names_of_files_are_masked_and_still_lead_to_their_lines(
    two_machines: Diagnosis, mask: list[str], hidden: tuple[str, ...], cited: str
) -> None:
    plain, postmortem = write_postmortem(two_machines), write_postmortem(two_machines, mask=mask)
    text = format_markdown(postmortem)
    assert not [name for name in hidden if name in text]
    assert re.search(rf"`{cited}:\d+`", text)
    # the numbers are those of the write-up without a mask, where the lines are found
    assert [source.line for source in postmortem.cited] == [source.line for source in plain.cited]
    pairs = {(before.file, after.file) for before, after in zip(plain.cited, postmortem.cited, strict=True)}
    assert len({before for before, _ in pairs}) == len({after for _, after in pairs}) == len(pairs)


def test_a_name_is_masked_alike_in_a_path_a_citation_and_a_sentence() -> None:
    fact = PythonException(source=Source("acme-17/zephyr.log", 1, ""), type="E", text="")
    mask = Pseudonyms(Incident("zephyr", [fact], []), ["paths"])
    assert mask("/data/acme-17/zephyr.log:1") == "/data/p1/p2.log:1"
    assert mask("acme-17/zephyr.log says UTC, dmesg.txt too") == "p1/p2.log says UTC, dmesg.txt too"
    assert mask("acme-17 and zephyr.log") == "p1 and p2.log"
    assert mask("--out /data/acme-17/zep… [4 more]") == "--out /data/p1/… [4 more]"
    assert mask.name("zephyr") == "p2"


def test_secrets_are_masked_without_being_asked(diagnosis: Diagnosis) -> None:
    text = format_markdown(write_postmortem(diagnosis, written={"lessons": "password=hunter2hunter2"}))
    assert "hunter2" not in text


def test_pseudonyms_keep_the_shape_of_a_path() -> None:
    mask = Pseudonyms(Incident("none", [], []), ["paths", "addresses"])
    assert mask("/mnt/ada/x.bin on /mnt/ada") == "/mnt/p1/p2.bin on /mnt/p1"
    assert mask("/mnt/ada") == "/mnt/p1"
    assert mask("12:45:11 and 0000:8b:00.0 stay") == "12:45:11 and 0000:8b:00.0 stay"
    assert mask("fe80::1ff:fe23:4567:890a, aa:bb:cc:dd:ee:ff") == "address-1, address-2"
    assert mask("https://example.org/a/b") == "https://example.org/a/b"


def test_hosts_and_users_are_known_from_the_facts() -> None:
    subject = Subject(host="node-17", path="/home/ada/run")
    fact = PythonException(source=Source("a.log", 1, "node-17 /home/ada/x"), subject=subject, type="E", text="")
    mask = Pseudonyms(Incident("one", [fact], []), ["hosts", "users"])
    assert (
        mask("node-17: ada ran /home/ada/x, node-170 did not") == "host-1: user-1 ran /home/user-1/x, node-170 did not"
    )


def test_the_page_is_the_same_twice(diagnosis: Diagnosis) -> None:
    assert format_page(write_postmortem(diagnosis)) == format_page(write_postmortem(diagnosis))


def test_an_incident_without_facts_has_a_write_up_of_blanks() -> None:
    postmortem = write_postmortem(diagnose(Incident("empty", [], [])))
    assert "the evidence does not decide" in postmortem.title
    assert len([item for item in postmortem.items if isinstance(item, Blank)]) > 5
    assert format_page(postmortem)


def test_the_notebook_is_one_and_its_cells_draw_again(diagnosis: Diagnosis) -> None:
    notebook = json.loads(format_notebook(write_postmortem(diagnosis), ["/some/where"]))
    code = ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert code[0] == 'PATHS = ["/some/where"]'
    assert "plots.plot_timeline(diagnosis.incident)" in code


def test_a_saved_notebook_has_run_and_finds_its_incident_from_its_own_folder(tmp_path: Path) -> None:
    shutil.copytree(FORK_DEADLOCK, tmp_path / "incident")
    diagnosis = diagnose(open_incident(tmp_path / "incident"))
    file = save(write_postmortem(diagnosis), tmp_path / "postmortem.ipynb", incident=[tmp_path / "incident"])
    cells = [cell for cell in json.loads(file.read_text())["cells"] if cell["cell_type"] == "code"]
    assert "".join(cells[0]["source"]) == 'PATHS = ["incident"]'
    assert [cell["execution_count"] for cell in cells] == list(range(1, len(cells) + 1))
    assert "fork-deadlock" in "".join(cells[1]["outputs"][0]["data"]["text/plain"])


@pytest.mark.skipif(browser() is None, reason="no Chromium to print with")
def test_a_pdf_is_printed_without_a_network(tmp_path: Path, diagnosis: Diagnosis) -> None:
    file = save(write_postmortem(diagnosis), tmp_path / "postmortem.pdf")
    assert file.read_bytes().startswith(b"%PDF-")
    assert [each.name for each in tmp_path.glob(".*")] == []


def test_the_command_writes_keeps_and_refuses(
    tmp_path: Path, hand: story.Story, capsys: pytest.CaptureFixture[str]
) -> None:
    output = tmp_path / "postmortem.md"
    assert cli.main(["postmortem", str(hand.folder), "-o", str(output)]) == 0
    blank = mark("lessons", "____ (fill in: what this teaches beyond this incident)")
    assert blank in output.read_text()
    output.write_text(output.read_text().replace(blank, mark("lessons", "Look at the disk first.")))
    assert cli.main(["postmortem", str(hand.folder), "-o", str(output)]) == 0
    assert mark("lessons", "Look at the disk first.") in output.read_text()
    assert cli.main(["postmortem", str(hand.folder), "-o", str(tmp_path / "x.doc")]) == 2
    assert cli.main(["postmortem", str(hand.folder), "-o", str(tmp_path / "nowhere" / "x.md")]) == 1
    assert "Traceback" not in capsys.readouterr().err
