"""The contract of matchers, kept by each index."""

from __future__ import annotations

from siftmesh.matching.api import INDEXES
from tests.contracts.matcher_contract import MatcherContract


class TestScan(MatcherContract):
    index = "scan"


class TestCounting(MatcherContract):
    index = "counting"


class TestAdaptive(MatcherContract):
    index = "adaptive"


def test_every_index_is_held_to_it() -> None:
    assert {one.index for one in MatcherContract.__subclasses__()} == set(INDEXES)
