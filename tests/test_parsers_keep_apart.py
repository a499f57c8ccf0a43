"""A tool's output is read by its own parser: tables that look alike are not taken for one another."""

from __future__ import annotations

from pathlib import Path

import pytest

from diagnostics.parsers import all_parsers
from diagnostics.text import Text

from .test_corpus import CASES, split_case

# parsers of tables, dumps and listings; those of prose and of job logs may well find something in them
TABLES = (
    "amd_smi ceph_status cgroup_memory dcgm_diag df df_output docker_stats ethtool faulthandler findmnt findmnt_json fio_json "
    "flight_recorder flight_recorder_json flight_recorder_summary free gdb gdb_py_bt ibstat iostat ip_link lfs_df ls "
    "lsof meminfo mfs_servers mount mountinfo mountstats nccl_desync nccl_tests network_rates nfsiostat nvidia_errors "
    "nvidia_smi_csv nvidia_smi_list nvidia_smi_mon nvidia_smi_nvlink nvidia_smi_q nvidia_smi_table nvidia_smi_topo nvidia_smi_xml "
    "perfquery pickle_file pressure proc_fd proc_limits proc_mounts proc_pid ps pyspy pyspy_json pystack rocm_smi stat_f strace "
    "top torchfrtrace tune2fs ulimit vmstat"
).split()
# what stands in one file for good reason: (whose case it is, who reads it too)
BESIDE = {
    ("amd_smi", "nvidia_smi_table"): "the row for no processes is worded alike",
    ("collective_timeouts", "nccl_desync"): "the watchdog's line and the report below it",
    ("collective_timeouts", "nvidia_errors"): "a case of other mismatches",
    ("flight_recorder", "pickle_file"): "a dump is a pickle",
    ("pickle_file", "flight_recorder"): "a pickle may be a dump",
    ("interface_addresses", "ip_link"): "ip addr prints the state of a link above its addresses",
    ("nvidia_smi_csv", "nvidia_errors"): "a lost GPU is said in a cell",
    ("nvidia_smi_nvlink", "nvidia_smi_list"): "its headings are rows of nvidia-smi -L",
    ("proc_limits", "proc_fd"): "counts of open files below the limits",
    ("python_tracebacks", "pyspy"): "a case of errors that are no exceptions",
    ("reachability", "mount"): "a mount that cannot look up its server fails",
    ("shell_transcript", "ls"): "the commands of a session",
    ("process_ends", "ps"): "who looks for a process and finds it has a table of one",
    ("shell_transcript", "ps"): "the commands of a session",
    ("shell_transcript", "stat_f"): "the commands of a session",
    ("tool_errors", "ls"): "the commands of a session",
    ("watchdog_log", "ps"): "a watchdog that lists what is left over",
}

# a near miss is another tool's output on purpose
WHOLE = [path for path in CASES if not path.stem.startswith("near_miss")]


@pytest.mark.parametrize("path", WHOLE, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_only_its_own_parser_reads_a_table(path: Path) -> None:
    text = Text("raw.log", split_case(path.read_bytes())[2])
    parsers = all_parsers()
    for name in TABLES:
        if name == path.parent.name or (path.parent.name, name) in BESIDE or not parsers[name].wants(text):
            continue
        facts = list(parsers[name].read(text))
        assert not facts, f"{name} takes it for its own: {facts[0]}"
