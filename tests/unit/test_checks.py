"""What a Matcher is handed besides filters and events is refused in words where it is of no use."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from siftmesh import Limits, Matcher
from siftmesh.checks import check_count, check_settings, check_template, end_after, made_of_file
from siftmesh.errors import (
    ConfigError,
    DamagedData,
    EventError,
    ParameterError,
    SubscriptionError,
    TypeMismatch,
    UnknownAttribute,
)
from siftmesh.logic.profile import Profile
from siftmesh.matching.file import load, save


def test_settings_that_are_none_are_refused() -> None:
    check_settings(Limits(), lambda: 0, None)
    check_settings(Limits(), lambda: 0, Profile())
    for wrong, told in [
        ((None, lambda: 0, None), "limits are siftmesh.Limits"),
        ((Limits(), 5, None), "a clock is a function that says the time in seconds, not int"),
        ((Limits(), lambda: 0, 5), "a profile is a .*Profile, not int"),
    ]:
        with pytest.raises(ConfigError, match=told):
            check_settings(*wrong)
    with pytest.raises(ConfigError, match="a clock"):
        Matcher(clock=5)  # type: ignore[arg-type]  # the wrong one
    with pytest.raises(ConfigError, match="a profile"):
        Matcher(profile=5)  # type: ignore[arg-type]  # the wrong one


@pytest.mark.parametrize("ttl", [0, -1, True, "5", float("nan"), float("inf"), 10**400])
def test_a_ttl_that_is_no_time_is_refused(ttl: Any) -> None:
    with pytest.raises(ConfigError, match=r"the ttl is .*; expected a number of seconds above 0"):
        end_after(ttl, lambda: 0.0)


def test_an_end_is_so_many_seconds_from_now() -> None:
    assert end_after(None, lambda: 5.0) is None
    assert end_after(2, lambda: 5.0) == 7.0
    for time in ("x", float("nan"), None):
        with pytest.raises(ConfigError, match="the clock says no time"):
            end_after(2, lambda time=time: time)  # type: ignore[misc]  # no time


@pytest.mark.parametrize("count", [-1, "x", 1.5, True, 10**30])
@pytest.mark.parametrize("index", ["adaptive", "counting", "scan"])
def test_a_count_is_a_whole_number(count: Any, index: str) -> None:
    with pytest.raises(ConfigError, match=r"the count is .*; expected a whole number from 0 on"):
        check_count(count)
    m = Matcher(index=index)
    m.add(1, "a = 1")
    with pytest.raises(ConfigError, match="the count is"):
        m.stats(count)
    assert m.stats(0)["hottest"] == []


@pytest.mark.parametrize("template", [None, 5, b"a = :p", ["a = :p"]])
def test_what_is_no_template_is_refused(template: Any) -> None:
    with pytest.raises(SubscriptionError, match="a template is text"):
        check_template(template)
    with pytest.raises(SubscriptionError, match="a template is text"):
        Matcher().add_many(template, [{"id": 1, "p": 2}])


def test_constants_are_held_to_the_schema() -> None:
    m = Matcher(schema={"a": "string", "n": "number", "w": "timestamp"})
    rows = [{"id": 1, "p": "x"}, {"id": 2, "p": 5}]
    for table in (rows, pa.table({"id": [1], "p": [5]}), [{"id": n, "p": 5} for n in range(300)]):
        with pytest.raises(TypeMismatch, match="a string never compares with a number"):
            m.add_many("a = :p", table)
    with pytest.raises(UnknownAttribute):
        m.add_many("b = :p", rows)
    assert len(m) == 0
    # What is null is legal, and never true.
    assert m.add_many("a = :p", [{"id": 1, "p": None}, {"id": 2, "p": "x"}]) == 2
    assert m.add_many("n < :p", pa.table({"id": [3, 4], "p": [None, 5]})) == 2
    assert m.add_many("n < :p", pa.table({"id": [5], "p": pa.array([None], pa.int64())})) == 1
    with pytest.raises(ParameterError, match="no single value"):
        m.add_many("a = :p", [{"id": 6, "p": ["x"]}])


@pytest.mark.parametrize("index", ["adaptive", "counting", "scan"])
def test_a_file_that_makes_no_matcher_is_damaged(index: str, tmp_path: Path) -> None:
    m = Matcher(index=index)
    m.add_many("a = :p", [{"id": n, "p": n} for n in range(5_000)], ttl=1_000)
    m.save(tmp_path / "index")
    arrays, meta = load(tmp_path / "index")
    for name in arrays:
        save(tmp_path / "less", {one: array for one, array in arrays.items() if one != name}, meta)
        with pytest.raises(DamagedData, match="less: what is in the file makes no matcher"):
            Matcher.load(tmp_path / "less")
    for wrong in ({"limits": {"zzz": 1}}, {"limits": None}, {"matcher": {}}, {"matcher": 5}):
        save(tmp_path / "other", arrays, {**meta, **wrong})
        with pytest.raises(DamagedData, match="makes no matcher"):
            Matcher.load(tmp_path / "other")


def test_what_is_said_already_is_not_said_again() -> None:
    with pytest.raises(EventError, match="known"), made_of_file("path"):
        raise EventError("known")
    with pytest.raises(DamagedData, match=r"path: .*IndexError: pop index"), made_of_file("path"):
        [1].pop(5)
    with made_of_file("path"):
        np.zeros(1)
