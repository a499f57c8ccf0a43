"""Python calls that write, copy, download, rename or unpickle, by the name they are imported under.

A number or keyword says which argument is the path; `self` is the object that the method belongs to.
"""

from __future__ import annotations

from typing import NamedTuple


class Takes(NamedTuple):
    """Where a call keeps its path: position, keyword; position -1 is the receiver."""

    position: int
    keyword: str = ""


RECEIVER = -1

WRITERS: dict[str, Takes] = {
    "torch.save": Takes(1, "f"),
    "torch.jit.save": Takes(1, "f"),
    "safetensors.torch.save_file": Takes(1, "filename"),
    "safetensors.torch.save_model": Takes(1, "filename"),
    "safetensors.numpy.save_file": Takes(1, "filename"),
    "safetensors.flax.save_file": Takes(1, "filename"),
    "numpy.save": Takes(0, "file"),
    "numpy.savez": Takes(0, "file"),
    "numpy.savez_compressed": Takes(0, "file"),
    "joblib.dump": Takes(1, "filename"),
    "torch.distributed.checkpoint.save": Takes(99, "checkpoint_id"),
    "torch.distributed.checkpoint.FileSystemWriter": Takes(0, "path"),
    "lightning.fabric.utilities.cloud_io._atomic_save": Takes(1, "filepath"),
}
WRITING_METHODS: dict[str, Takes] = {
    "write_bytes": Takes(RECEIVER),
    "write_text": Takes(RECEIVER),
    "save_pretrained": Takes(0, "save_directory"),
    "save_checkpoint": Takes(0, "filepath"),
    "save_state": Takes(0, "output_dir"),
    "save_weights": Takes(0, "filepath"),
    "save_lora_weights": Takes(0, "save_directory"),
}
OPENERS: dict[str, Takes] = {
    "open": Takes(0, "file"),
    "io.open": Takes(0, "file"),
    "gzip.open": Takes(0, "filename"),
    "bz2.open": Takes(0, "filename"),
    "lzma.open": Takes(0, "filename"),
    "codecs.open": Takes(0, "filename"),
}
COPIERS = {
    "shutil.copy",
    "shutil.copy2",
    "shutil.copyfile",
    "shutil.copytree",
    "os.sendfile",
    "distutils.file_util.copy_file",
}
MOVERS = {"shutil.move"}
RENAMERS = {"os.replace", "os.rename", "os.renames"}
DOWNLOADERS: dict[str, Takes] = {
    "urllib.request.urlretrieve": Takes(1, "filename"),
    "wget.download": Takes(1, "out"),
    "gdown.download": Takes(1, "output"),
}
DOWNLOADING_METHODS: dict[str, Takes] = {
    "download_to_filename": Takes(0, "filename"),
    "download_file": Takes(2, "Filename"),
    "get_file": Takes(1, "lpath"),
}
LINKERS = {"os.symlink": 1, "os.link": 1}
SYNCERS = {"os.fsync", "os.fdatasync"}
SHELLS = {"os.system", "subprocess.run", "subprocess.call", "subprocess.check_call",
    "subprocess.check_output", "subprocess.Popen",
          "subprocess.getoutput", "os.popen"}  # fmt: skip
DELETERS = {"os.remove", "os.unlink", "shutil.rmtree"}
LISTERS = {"glob.glob", "glob.iglob", "os.listdir", "os.scandir"}
LISTING_METHODS = {"glob", "rglob", "iterdir"}
UNPICKLERS = {"pickle.load", "pickle.loads", "pickle.Unpickler",
    "dill.load", "dill.loads", "cloudpickle.load", "cloudpickle.loads",
              "joblib.load", "pandas.read_pickle", "marshal.load", "shelve.open", "_pickle.load"}  # fmt: skip
SIZES = {"os.path.getsize"}
TEMPORARY = {"tempfile.mkstemp", "tempfile.mkdtemp", "tempfile.NamedTemporaryFile", "tempfile.TemporaryDirectory",
             "tempfile.gettempdir", "tempfile.mktemp", "tempfile.TemporaryFile"}  # fmt: skip
# what these write is a checkpoint whatever it is called; arrays and text are one only by their names
ONLY_CHECKPOINTS = ("torch.", "safetensors.", "lightning.")
NO_CHECKPOINT = (".log", ".txt", ".md", ".csv", ".tsv", ".out", ".err", ".png", ".html", ".jsonl", ".lock", ".pid")
FETCHERS = {"requests.get", "requests.request", "httpx.get", "httpx.stream", "urllib.request.urlopen", "urlopen"}
FETCHING_METHODS = {"iter_content", "iter_bytes", "iter_raw", "iter_chunked"}
SAFE_STREAMS = {"publish", "publish_path", "publish_directory", "atomic_write", "AtomicWriter"}
IN_MEMORY = {"io.BytesIO", "io.StringIO"}
