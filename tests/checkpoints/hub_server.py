"""A small Hugging Face Hub on the loopback address: enough of its HTTP API to upload a file and list it.

Large files go by Git LFS (https://github.com/git-lfs/git-lfs/blob/main/docs/api/batch.md) to `objects`, small
ones inside the commit. `lose_tail` makes the store keep less than it was sent, and say nothing.
"""

from __future__ import annotations

import base64
import hashlib
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class Hub(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.objects: dict[str, bytes] = {}
        self.files: dict[str, dict[str, Any]] = {}
        self.requests: list[str] = []
        self.refuse = 0
        self.lose_tail = False

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class _Handler(BaseHTTPRequestHandler):
    server: Hub
    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments: Any) -> None: ...

    def _answer(self, status: int, body: Any) -> None:
        content = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def _body(self) -> bytes:
        if self.headers.get("Transfer-Encoding") == "chunked":
            parts = []
            while size := int(self.rfile.readline().strip() or b"0", 16):
                parts.append(self.rfile.read(size))
                self.rfile.readline()
            self.rfile.readline()
            return b"".join(parts)
        return self.rfile.read(int(self.headers.get("Content-Length") or 0))

    def do_GET(self) -> None:
        self.server.requests.append(f"GET {self.path}")
        self._answer(200, {"id": "me/model", "sha": "0" * 40, "siblings": [], "private": False})

    def do_PUT(self) -> None:
        content = self._body()
        self.server.requests.append(f"PUT {self.path}")
        if self.server.lose_tail:
            content = content[: len(content) // 2]
        self.server.objects[self.path.rpartition("/")[2]] = content
        self._answer(200, {})

    def do_POST(self) -> None:
        body = self._body()
        self.server.requests.append(f"POST {self.path}")
        if self.server.refuse:
            self.server.refuse -= 1
            self._answer(503, {"error": "overloaded"})
        elif "/preupload/" in self.path:
            files = json.loads(body)["files"]
            modes = [
                {"path": f["path"], "uploadMode": "lfs" if f["size"] > 1000 else "regular", "shouldIgnore": False}
                for f in files
            ]
            self._answer(200, {"files": modes, "commitOid": "0" * 40})
        elif self.path.endswith("/info/lfs/objects/batch"):
            self._answer(
                200, {"transfer": "basic", "objects": [self._action(each) for each in json.loads(body)["objects"]]}
            )
        elif "/commit/" in self.path:
            self._commit(body)
        elif "/paths-info/" in self.path:
            self._answer(200, list(self.server.files.values()))
        else:
            self._answer(200, {})

    def _action(self, wanted: dict[str, Any]) -> dict[str, Any]:
        upload = {"href": f"{self.server.url}/objects/{wanted['oid']}", "header": {}}
        return {**wanted, "authenticated": True, "actions": {"upload": upload}}

    def _commit(self, body: bytes) -> None:
        for line in body.splitlines():
            entry = json.loads(line)
            value = entry["value"]
            if entry["key"] == "lfsFile":
                stored = self.server.objects[value["oid"]]
                lfs = {"oid": hashlib.sha256(stored).hexdigest(), "size": len(stored), "pointerSize": 130}
                self._list(value["path"], len(stored), "1" * 40, lfs)
            elif entry["key"] == "file":
                content = base64.b64decode(value["content"])
                oid = hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()
                self._list(value["path"], len(content), oid, None)
        url = f"{self.server.url}/me/model/commit/{'2' * 40}"
        self._answer(200, {"success": True, "commitOid": "2" * 40, "commitUrl": url, "hookOutput": ""})

    def _list(self, path: str, size: int, oid: str, lfs: dict[str, Any] | None) -> None:
        found: dict[str, Any] = {"type": "file", "path": path, "size": size, "oid": oid}
        self.server.files[path] = {**found, "lfs": lfs} if lfs else found


@contextmanager
def running() -> Iterator[Hub]:
    hub = Hub()
    thread = threading.Thread(target=hub.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield hub
    finally:
        hub.shutdown()
        thread.join()
        hub.server_close()
