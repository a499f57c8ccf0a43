"""The names of settings by which their readers and the rules know them."""

from __future__ import annotations

# ddp_timeout      --distributed-timeout-minutes
GROUP_LIMIT = r"(?:ddp|dist|distributed|nccl|comm|communication|pg|process_group|collective|gloo)[_-]time_?out"
# for how long a container may give no answer, by its liveness probe
PROBE_ALLOWS = "liveness probe allows (s)"
