"""The failure studies that priors rest on, by the words that a row begins with; docs/design/sources.md has the
references.

A prior without a study says `ESTIMATE` and on what it rests. Shares are of a study's failures, whose mix is its own:
no prior is copied from one.
"""

from __future__ import annotations

ACME = "Hu et al. (2024), 2,575 failures: "
BLOOM = "BLOOM chronicles (2022): "
DELTA = "Cui et al. (2025), GPU errors of Delta: "
FIRE_FLYER = "An et al. (2024), Xids of Fire-Flyer 2: "
FT_HSDP = "Salpekar et al. (2026), interruptions on 32,000 GPUs: "
LLAMA = "Llama 3 (2024), table 5, 419 unexpected interruptions in 54 days: "
OPT = "OPT-175B chronicles (2021): "
PHILLY = "Jeon et al. (2019), table 7, 39,776 failed trials: "
RSC = "Kokolis et al. (2025), two research clusters: "
STEPFUN = "StepFun's fault trace (2025), 584 faults: "
TSUBAME = "Taherin et al. (2021), 171 software failures of Tsubame-3: "
UNICRON = "He et al. (2024), how training tasks ended: "
ESTIMATE = "an expert's estimate; "
