"""Seeded workloads to measure with: book auctions, and ranges over many numbers.

Everything here is columns and texts made from a seed; writing them to files is `siftmesh generate`.
"""
