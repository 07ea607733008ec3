"""Benchmarks: `python -m benchmarks [NAME ...]`; every figure is printed as a ratio to a baseline of the same run."""
