"""The matchers that are measured side by side: Siftmesh's own, and what people would use instead."""

from __future__ import annotations

from collections.abc import Callable

from benchmarks.matcher_workloads import Case
from benchmarks.peers.brute_force import BruteForce
from benchmarks.peers.contender import Contender
from benchmarks.peers.duckdb_joins import DuckDBJoins
from benchmarks.peers.own import adaptive, adaptive_dicts, bitmaps_first, chains_only, counting, engine, scan
from benchmarks.peers.postgres_union import PostgresUnion
from benchmarks.peers.python_lambdas import PythonLambdas
from benchmarks.peers.rule_engine_peer import RuleEngine
from benchmarks.peers.sqlite_union import SQLiteUnion

__all__ = ["CONTENDERS"]

# The first of those that run is what the others are compared with.
CONTENDERS: dict[str, Callable[[Case], Contender]] = {
    "adaptive": adaptive,
    "adaptive-dicts": adaptive_dicts,
    "engine": engine,
    "chains-only": chains_only,
    "bitmaps-first": bitmaps_first,
    "counting": counting,
    "scan": scan,
    "brute-force": BruteForce,
    "duckdb": DuckDBJoins,
    "sqlite": SQLiteUnion,
    "postgres": PostgresUnion,
    "lambdas": PythonLambdas,
    "rule-engine": RuleEngine,
}
