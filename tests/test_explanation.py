"""The words of a diagnosis: why not the others, and every claim with its lines."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from diagnostics import diagnose, open_incident
from diagnostics.explanation import NEGLIGIBLE, Explanation, explain, format_brief, format_explanation
from diagnostics.incident import Incident
from diagnostics.plots import plot_chain
from diagnostics.postmortem import write_postmortem
from diagnostics.postmortem.document import Plot
from diagnostics.report import diagnosis_as_json

SAMPLE = Path(__file__).parents[1] / "sample_logs" / "five_symptoms"


def test_a_usual_suspect_says_why_it_tempts_and_what_speaks_against_it() -> None:
    told = explain(diagnose(open_incident(SAMPLE)))
    fork = next(each for each in told.suspects if each.text.startswith("a deadlock after fork"))
    assert "tempting because the main thread waits in the same poll()" in fork.text
    assert "but it does not explain" in fork.text
    assert fork.sources
    assert not {each.text.split(" (")[0] for each in told.rivals} & {each.text.split(" (")[0] for each in told.suspects}


def test_no_rival_is_shown_at_a_chance_that_reads_as_none() -> None:
    diagnosis = diagnose(open_incident(SAMPLE))
    told = format_explanation(explain(diagnosis))
    assert "(0.0%)" not in told
    assert any(each.posterior < NEGLIGIBLE for each in diagnosis.hypotheses)


def test_what_only_the_wording_names_is_told_as_a_lead(tmp_path: Path) -> None:
    said = "rank 3: triton autotune cache entry vanished while another rank was writing it: ~/.triton/cache/7f/kernel.cubin"
    also = "rank 5: compiled kernel 7f read as an empty file while rank 3 was writing it"
    (tmp_path / "train.log").write_text(f"step 411 | loss 2.20\n{said}\n{also}\n")
    diagnosis = diagnose(open_incident(tmp_path))
    assert [each.slug for each in diagnosis.answer] == ["jit-cache-race"]
    assert diagnosis.wordless().answer == ()
    told = explain(diagnosis)
    lead = next(each for each in told.finding if each.text.startswith("A lead and no proof"))
    assert said in [source.quote for source in lead.sources]
    assert told.precedents[0].text.count("#") == 3
    text = format_explanation(told)
    assert "The likeliest cause is" in text
    assert "Known incidents that are worded alike, to compare with" in text


def test_an_answer_of_the_symptoms_is_no_lead() -> None:
    told = explain(diagnose(open_incident(SAMPLE)))
    assert told.precedents == ()
    assert not any("lead" in each.text for each in told.finding)


def told_of(folder: Path, **files: str) -> Explanation:
    """The explanation of an incident of these files: `df_txt` is df.txt."""
    for name, text in files.items():
        (folder / name.replace("_", ".")).write_text(text)
    return explain(diagnose(open_incident(folder)))


DF = "Filesystem      Size  Used Avail Use% Mounted on\n/dev/nvme1n1    1.8T  1.8T     0 100% {}\n/dev/nvme2n1    1.8T  1.8T     0 100% {}\n"
NO_SPACE = "OSError: [Errno 28] No space left on device: '/scratch/run7/checkpoint-4000/optimizer.pt'\n"


def test_each_volume_is_told_by_its_own_lines(tmp_path: Path) -> None:
    told = told_of(tmp_path, df_txt=DF.format("/scratch", "/home"), train_log=NO_SPACE)
    rows = {row.subject.mount: row for row in told.table if row.symptom == "disk-usage-full"}
    assert rows["/scratch"].actually == "/scratch had no room"
    assert rows["/home"].actually == "", "the answer is about /scratch"
    assert [each.text for each in told.unexplained] == [rows["/home"].seen]
    assert not any("independent of each other" in each.text for each in told.finding)
    assert len({link.text for link in told.chain}) == len(told.chain), "no event is told twice"


def test_what_several_causes_did_is_told_in_one_order_and_not_as_one_thing_led_to_the_other(tmp_path: Path) -> None:
    told_of(
        tmp_path,
        df_txt=DF.format("/scratch", "/data").replace("1.8T     0 100% /data", "0.1T  1.7T   6% /data"),
        dmesg_txt="[Sun Nov 29 13:05:02 2026] NVRM: Xid (PCI:0000:8b:00): 79, pid=42, GPU has fallen off the bus.\n",
        train_log="2026-11-29 13:05:12 RuntimeError: CUDA error: unspecified launch failure\n"
        f"2026-11-29 13:53:10 {NO_SPACE}",
    )
    diagnosis = diagnose(open_incident(tmp_path))
    assert {each.slug for each in diagnosis.answer} == {"disk-full", "gpu-off-bus"}
    told = explain(diagnosis)
    moments = [link.at for link in told.chain if link.at]
    assert len(moments) == 3
    assert moments == sorted(moments)
    assert told.chain[-1].at is None, "the full volume was seen, nobody knows when"
    text = format_explanation(told)
    assert "\nWhat happened, in order\n" in text
    assert "led to" not in text
    assert plot_chain(diagnosis).axes[0].get_title(loc="left") == "What happened, in order"
    root_cause = next(each for each in write_postmortem(diagnosis).sections if each.key == "root-cause")
    assert [each.caption for each in root_cause.blocks if isinstance(each, Plot)] == ["What happened, in order"]


TRACEBACK = 'Traceback (most recent call last):\n  File "/app/train.py", line 5, in main\n    x = cfg["lr2"]\n'


@pytest.mark.parametrize(
    ("above", "below", "told"),
    [
        ("2026-03-02 12:03:04", "2026-03-02 12:03:09", "between 12:03:04 and 12:03:09 local time: KeyError: 'lr2'"),
        ("2026-03-02T23:59:58Z", "2026-03-03T00:00:09Z", "between 2026-03-02 23:59:58 and 2026-03-03 00:00:09 UTC: "),
        ("2026-03-02 12:03:09", "2026-03-02 12:03:04", "KeyError: 'lr2'"),  # the file is not in the order of time
        ("2026-03-02 12:03:04", "", "KeyError: 'lr2'"),
    ],
)
def test_an_undated_traceback_has_the_times_of_the_lines_around_it(
    tmp_path: Path, above: str, below: str, told: str
) -> None:
    steps = "".join(f"{above} INFO step {n} | loss 4.1\n" for n in (10, 20))
    explanation = told_of(
        tmp_path, train_log=f"{steps}{TRACEBACK}KeyError: 'lr2'\n{below} trainer exited with status 1\n"
    )
    link = next(each for each in explanation.chain if "KeyError" in each.text)
    assert link.text.startswith(told)
    assert link.at is None


def test_the_chain_of_one_cause_is_told_as_one_thing_that_led_to_the_other() -> None:
    assert "\nHow one thing led to the other\n" in format_explanation(explain(diagnose(open_incident(SAMPLE))))


def test_the_published_form_gives_each_subject_its_own_explanation(tmp_path: Path) -> None:
    told_of(tmp_path, df_txt=DF.format("/scratch", "/home"), train_log=NO_SPACE)
    found = diagnosis_as_json(diagnose(open_incident(tmp_path)))
    said = {
        each["subject"].get("mount"): each["explanation"]
        for each in found["symptoms"]
        if each["symptom"] == "disk-usage-full"
    }
    assert said == {"/scratch": "/scratch had no room", "/home": ""}


def test_a_network_filesystem_is_called_by_its_name(tmp_path: Path) -> None:
    told = told_of(
        tmp_path,
        mounts_txt="10.0.0.1:/export /data nfs4 rw,relatime,hard,proto=tcp 0 0\n",
        dmesg_txt="[ 8123.1] nfs: server 10.0.0.1 not responding, still trying\n",
        ps_txt="  PID  PPID STAT WCHAN                         COMMAND\n 4312  4300 D    rpc_wait_bit_killable         python train.py --data /data\n",
    )
    assert any("NFS" in row.actually for row in told.table), told.table


PROBES = """\
{"probe": "stat", "mount": "/data", "path": "/data", "server": null, "device": "/dev/vda", "outcome": "answered", "elapsed_s": 0.02, "error": null, "text": "", "at": "2026-11-30T23:46:23.901+00:00", "values": {}, "control": {}}
{"probe": "gpu-memory", "mount": "", "path": "", "server": null, "device": "", "outcome": "refused", "elapsed_s": 0.04, "error": "ENODEV", "text": "nvmlInit: [Errno 19] no GPU answers: NVML Shared Library Not Found", "at": "2026-11-30T23:46:27.581+00:00", "values": {}, "control": {}}
{"probe": "gpu-copy", "mount": "", "path": "", "server": null, "device": "", "outcome": "refused", "elapsed_s": 1.05, "error": "ENODEV", "text": "import torch: [Errno 19] torch sees no GPU", "at": "2026-11-30T23:46:28.637+00:00", "values": {}, "control": {}}
"""


def test_the_answers_of_probes_are_no_wording_of_a_job(tmp_path: Path) -> None:
    told = told_of(tmp_path, probe_jsonl=PROBES)
    said = " ".join(each.text for each in told.finding)
    assert "Nothing of a run was given, only the answers of probes: 1 of 3 came." in said
    assert "likeliest" not in said


STEPS = "".join(
    f"2026-06-22 09:{at // 60:02}:{at % 60:02} step {at // 3}/1000 loss {5 - at / 1000:.3f}\n"
    for at in range(0, 1800, 3)
)
KILL = (
    "[Mon Jun  {day} 03:41:12 2026] Memory cgroup out of memory: Killed process 2679 (python) total-vm:535672kB, "
    "anon-rss:165280kB, file-rss:5780kB, shmem-rss:0kB, UID:0 pgtables:192kB oom_score_adj:0\n"
    "[Mon Jun 22 09:00:01 2026] eth0: link becomes ready\n"
)


def test_what_is_older_than_the_run_is_said_to_be_set_aside(tmp_path: Path) -> None:
    told = told_of(tmp_path, train_log=STEPS, dmesg_txt=KILL.format(day=1))
    aside = next(each for each in told.finding if each.text.startswith("Set aside"))
    assert aside.text == "Set aside: 1 grave line is older than the run."
    assert [(source.file, source.line) for source in aside.sources] == [("dmesg.txt", 1)]
    assert not any("dmesg" in each.command and "memory" in each.command for each in told.questions)


def test_the_wording_of_what_was_set_aside_is_no_lead(tmp_path: Path) -> None:
    told = told_of(tmp_path, train_log=STEPS, dmesg_txt=KILL.format(day=1))
    alone = tmp_path / "alone"
    alone.mkdir()
    assert told.finding[:2] == told_of(alone, train_log=STEPS).finding[:2]


def test_what_is_cited_was_not_set_aside(tmp_path: Path) -> None:
    told = told_of(tmp_path, train_log=STEPS, dmesg_txt=KILL.format(day=22))
    assert not any(each.text.startswith("Set aside") for each in told.finding)


def test_a_volume_that_has_room_by_now_is_not_said_to_be_full_without_that(tmp_path: Path) -> None:
    row = "Filesystem      Size  Used Avail Use% Mounted on\n/dev/nvme1n1    1.8T  {} /data\n"
    looks = row.format("1.8T     0 100%") + "\n" + row.format("901G  812G  53%")
    told = told_of(tmp_path, df_txt=looks, train_log=NO_SPACE.replace("/scratch", "/data"))
    (full,) = (each for each in told.table if each.symptom == "disk-usage-full")
    assert full.seen == "/data is full (100 % used); further down it has room (53 % used)"
    assert [source.line for source in full.sources] == [2, 5]
    assert told.now[0].startswith("Where df still shows /data full, free space on it: `du ")


CAPTURES = sorted(path for path in SAMPLE.parent.iterdir() if path.is_dir())


@pytest.mark.parametrize("sample", CAPTURES, ids=lambda path: path.name)
def test_what_to_do_now_is_on_the_screen_of_a_small_terminal(sample: Path) -> None:
    told = explain(diagnose(open_incident(sample)))
    rows = [row for line in format_brief(told).splitlines() for row in textwrap.wrap(line, 80) or [""]][-24:]
    shown = "".join("".join(rows).split())
    assert all("".join(step.split()) in shown for step in told.now)
    assert "Donow" in shown or not told.now
    assert "--brief" in rows[-1]


@pytest.mark.parametrize("sample", CAPTURES, ids=lambda path: path.name)
def test_what_is_told_in_brief_is_told_in_full_and_in_that_order(sample: Path) -> None:
    told = explain(diagnose(open_incident(sample)))
    brief, full = format_brief(told), format_explanation(told)
    for told_of in (each.text for each in told.finding):
        assert told_of in brief and told_of in full
    assert full.find("Do now") < full.find("What was seen") or not told.now
    everything = [row.title for row in told.table] + [link.text for link in told.chain] + list(told.would_refute)
    everything += [each.text for each in (*told.rivals, *told.suspects, *told.unexplained, *told.coverage)]
    assert all(text in full for text in everything)


def test_of_an_open_question_the_brief_form_tells_what_to_ask() -> None:
    told = explain(diagnose(Incident("empty", [], [])))
    assert told.questions[0].command in format_brief(told)
