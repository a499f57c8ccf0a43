"""Weights to the Hugging Face Hub; the hub's own listing must show the same size and sha256.

The hub keeps large files by sha256 (`lfs.sha256` of the listing) and small ones by git's blob hash
(https://huggingface.co/docs/huggingface_hub/package_reference/hf_api#huggingface_hub.hf_api.RepoFile).
"""

from __future__ import annotations

import hashlib
import os
from typing import Any

from ...errors import NotWhole, PublishError
from ..digest import chunks, file_digest, open_plain
from ..finding import State
from ..health import Artefact
from ..pacing import Pace


class HubTier:
    """Uploads to `repo_id`; the token comes from huggingface_hub's own places unless `api` brings one."""

    weights_only = True

    def __init__(
        self, repo_id: str, *, repo_type: str = "model", revision: str = "main", folder: str = "", api: Any = None
    ) -> None:
        self.name = f"hub:{repo_id}"
        self.repo_id, self.repo_type, self.revision, self.folder = repo_id, repo_type, revision, folder
        self._api = api

    def store(self, artefact: Artefact, pace: Pace) -> str:
        if artefact.state is not State.COMPLETE:
            raise NotWhole(f"{artefact.path} is {artefact.state}", "publish the weights again")
        api = self._api or _api()
        _no_progress_bars()
        remote = f"{self.folder}/{artefact.path.name}".lstrip("/")
        place = {"repo_id": self.repo_id, "repo_type": self.repo_type, "revision": self.revision}
        api.upload_file(
            path_or_fileobj=str(artefact.path), path_in_repo=remote, commit_message=f"step {artefact.step}", **place
        )
        listed = api.get_paths_info(paths=[remote], **place)
        if not listed:
            raise PublishError(f"{remote} is not in {self.repo_id} after its upload", "it is tried again")
        return self._compare(artefact, listed[0])

    def _compare(self, artefact: Artefact, listed: Any) -> str:
        if listed.size != artefact.size:
            raise PublishError(f"the hub holds {listed.size} of {artefact.size} bytes", "it is tried again")
        if listed.lfs:
            same, proof = listed.lfs.sha256 == file_digest(artefact.path, "sha256"), "the hub's sha256"
        else:
            same, proof = listed.blob_id == _git_blob(artefact), "the hub's git hash"
        if not same:
            raise PublishError("the hub lists another hash than the file has", "it is tried again")
        return proof


def _git_blob(artefact: Artefact) -> str:
    hasher = hashlib.sha1(b"blob %d\0" % artefact.size, usedforsecurity=False)
    descriptor = open_plain(artefact.path)
    try:
        for chunk in chunks(descriptor):
            hasher.update(chunk)
    finally:
        os.close(descriptor)
    return hasher.hexdigest()


def _api() -> Any:
    from huggingface_hub import HfApi

    return HfApi()


def _no_progress_bars() -> None:
    """A bar from a background thread tears the trainer's log."""
    from huggingface_hub.utils import disable_progress_bars  # type: ignore[attr-defined]

    disable_progress_bars()
