"""Benchmarks: `python -m benchmarks [NAME ...]`; every figure has a ratio to a baseline of the same run."""
