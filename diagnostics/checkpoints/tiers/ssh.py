"""The full checkpoint to another machine over the system's ssh: staged, sha256 compared there, synced, renamed.

Needs only a POSIX shell, cat, mv, and sha256sum at the far end. Keys, ports and jump hosts come from the
user's own ssh configuration. A copy that was cut off goes on where it stopped.
"""

from __future__ import annotations

import os
import shlex
import subprocess
from pathlib import Path

from ...errors import PublishError, UsageError
from ..digest import chunks, file_digest, open_plain
from ..health import Artefact
from ..manifest import encode
from ..mirroring import describe
from ..pacing import Pace

OPTIONS = (
    "-o", "BatchMode=yes", "-o", "ConnectTimeout=20", "-o", "ServerAliveInterval=15", "-o", "ServerAliveCountMax=4",
)  # fmt: skip
ANSWER_S = 3600.0  # the far end may hash and sync for a long time, not for ever
TRY_AGAIN = "it is tried again from where it stopped"


class SshTier:
    """Stores below `directory` on `host` (`user@host`, or a name from ssh's configuration)."""

    weights_only = False

    def __init__(self, host: str, directory: str, *, options: tuple[str, ...] = ()) -> None:
        if host.startswith("-") or not host:
            raise UsageError(f"{host!r} is no host", "give user@host")
        self.name = f"ssh:{host}"
        self.host, self.directory, self.options = host, directory.rstrip("/"), options

    def store(self, artefact: Artefact, pace: Pace) -> str:
        record = artefact.record or describe(artefact)
        staged, final = self._path(f".{record.name}.{record.digest[:16]}.mirror.part"), self._path(record.name)
        pieces = [(artefact.path / each.path, f"{staged}/{each.path}") for each in record.files]
        for source, far in pieces or [(artefact.path, staged)]:
            self._send(source, far, pace)
        manifest = self._path(record.file_name)
        self._ask(_put(manifest), encode(record))
        self._ask(f"{_aside(final) if record.files else ''} mv -f {_q(staged)} {_q(final)} && {_sync(self.directory)}")
        return "sha256 at the far end"

    def _send(self, source: Path, far: str, pace: Pace) -> None:
        folder = far.rpartition("/")[0]
        there = int(self._ask(f"mkdir -p {_q(folder)} && {{ wc -c < {_q(far)} 2>/dev/null || echo 0; }}") or 0)
        size = source.stat().st_size
        if there > size:
            self._ask(f"rm -f {_q(far)}")
            there = 0
        self._stream(source, there, f"cat >> {_q(far)}", pace)
        digest = self._ask(f"{_sync(far)} && sha256sum < {_q(far)}").split(" ")[0]
        if digest != file_digest(source, "sha256"):
            self._ask(f"rm -f {_q(far)}")
            raise PublishError(f"{self.host} holds other bytes than {source}", "it is sent again from the start")

    def _stream(self, source: Path, start: int, script: str, pace: Pace) -> None:
        reader = open_plain(source)
        try:
            os.lseek(reader, start, os.SEEK_SET)
            process = self._start(script)
            try:
                assert process.stdin
                for chunk in chunks(reader, 1 << 20):
                    process.stdin.write(chunk)
                    pace(len(chunk))
            except BrokenPipeError:
                pass  # the exit status says why
            except BaseException:
                process.kill()
                raise
            finally:
                self._finish(process, b"")
        finally:
            os.close(reader)

    def _ask(self, script: str, content: bytes = b"") -> str:
        return self._finish(self._start(script), content)

    def _start(self, script: str) -> subprocess.Popen[bytes]:
        words = ["ssh", *OPTIONS, *self.options, "--", self.host, f"set -eu; {script.strip()}"]
        try:
            return subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        except FileNotFoundError as error:
            raise UsageError("there is no ssh program", "install an OpenSSH client") from error

    def _finish(self, process: subprocess.Popen[bytes], content: bytes) -> str:
        try:
            output, errors = process.communicate(content, timeout=ANSWER_S)
        except subprocess.TimeoutExpired as error:
            process.kill()
            raise PublishError(f"{self.host} has not answered for {ANSWER_S:.0f} s", TRY_AGAIN) from error
        if process.returncode:
            said = errors.decode(errors="replace").strip().splitlines()
            raise PublishError(f"{self.host}: {said[-1] if said else f'ssh exit {process.returncode}'}", TRY_AGAIN)
        return output.decode(errors="replace").strip()

    def _path(self, name: str) -> str:
        return f"{self.directory}/{name}"


def _q(path: str) -> str:
    return shlex.quote(path)


def _sync(path: str) -> str:
    """coreutils' sync takes a file or directory; an older one syncs everything, which is as good."""
    return f"{{ sync {_q(path)} 2>/dev/null || sync; }}"


def _put(path: str) -> str:
    part = f"{path}.part"
    return f"cat > {_q(part)} && {_sync(part)} && mv -f {_q(part)} {_q(path)} && {_sync(path.rpartition('/')[0])}"


def _aside(final: str) -> str:
    """A directory cannot be replaced at once: the damaged one gives its name up first."""
    aside = f"{final}.part"
    return f"if [ -e {_q(final)} ]; then rm -rf {_q(aside)}; mv {_q(final)} {_q(aside)}; rm -rf {_q(aside)}; fi;"
