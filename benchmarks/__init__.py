"""Measurements of the package: `python -m benchmarks [NAME [ARGUMENT...]]`; without a name, all of them."""
