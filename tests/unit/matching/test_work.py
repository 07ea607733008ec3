from __future__ import annotations

from siftmesh.matching.work import WorkCounters


def test_counters_add_up_and_differ() -> None:
    early = WorkCounters(events=1, probes=2, matches=3)
    late = WorkCounters(events=5, probes=2, leaves=7, matches=4)
    assert late - early == WorkCounters(events=4, leaves=7, matches=1)
    assert early + (late - early) == late
    assert early - early == WorkCounters()
