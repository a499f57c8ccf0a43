"""Symptoms: rules over the evidence that an operator could argue with, one file each; the folder is the registry.

A symptom module's docstring is the rule in words. Its one constant is `SYMPTOM`; its rule takes the incident and
yields findings: where the symptom is present (with the evidence for it), or where it was looked for and is not
there (with the coverage that would have shown it). A rule that yields nothing says that nobody looked. A symptom
knows no cause, and no file of another symptom: what that one finds it asks for by name (`_registry.findings_of`), and
what several look for stands in a file whose name begins with an underscore.
"""

from ._registry import Found, all_symptoms, findings_of, run_rule
from ._symptom import Finding, Symptom

__all__ = ["Finding", "Found", "Symptom", "all_symptoms", "findings_of", "run_rule"]
