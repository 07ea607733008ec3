from __future__ import annotations

import math
from typing import Any

import pytest

from siftmesh.model.functions.jms import JMS
from siftmesh.model.values import INT_MAX, INT_MIN, OPAQUE, Timestamp

APPLY = {function.name: function.apply for function in JMS}


@pytest.mark.parametrize(
    ("name", "arguments", "result"),
    [
        ("add", (2, 3), 5),
        ("add", (INT_MAX, 1), INT_MIN),
        ("subtract", (INT_MIN, 1), INT_MAX),
        ("multiply", (2**62, 4), 0),
        ("multiply", (INT_MIN, -1), INT_MIN),
        ("divide", (7, -2), -3),
        ("divide", (-7, -2), 3),
        ("divide", (INT_MIN, -1), INT_MIN),
        ("divide", (1, 0), None),
        ("divide", (1, 0.0), math.inf),
        ("divide", (1, -0.0), -math.inf),
        ("divide", (0.0, 0), None),
        ("divide", (1e300, 1e-300), math.inf),
        ("divide", (7, 2.0), 3.5),
        ("add", (math.inf, -math.inf), None),
        ("add", (2**53 + 1, 0.0), 2.0**53),
        ("multiply", (1e300, 1e300), math.inf),
        ("negate", (5,), -5),
        ("negate", (0.5,), -0.5),
        ("negate", (INT_MIN,), INT_MIN),
        ("negate", (None,), None),
        ("negate", ("x",), OPAQUE),
        ("negate", (True,), OPAQUE),
        ("add", (True, 1), OPAQUE),
        ("add", ("1", 1), OPAQUE),
        ("add", ("1", None), None),
        ("add", (OPAQUE, 1), OPAQUE),
    ],
)
def test_arithmetic(name: str, arguments: tuple[Any, ...], result: Any) -> None:
    found = APPLY[f"jms_{name}"](*arguments)
    assert found == result
    assert type(found) is type(result)


def test_the_sign_of_zero_is_kept() -> None:
    assert math.copysign(1, APPLY["jms_negate"](0.0)) == -1
    assert math.copysign(1, APPLY["jms_multiply"](1, -0.0)) == -1


@pytest.mark.parametrize(
    ("left", "right", "verdicts"),
    [
        # equal, different, less, at most
        (1, 2, (False, True, True, True)),
        (2, 2.0, (True, False, False, True)),
        (2**53 + 1, 2.0**53, (True, False, False, True)),
        (2**53 + 1, 2**53, (False, True, False, False)),
        ("a", "b", (False, True, False, False)),
        ("a", "a", (True, False, False, False)),
        (True, True, (True, False, False, False)),
        (False, True, (False, True, False, False)),
        (True, 1, (False, False, False, False)),
        ("1", 1, (False, False, False, False)),
        (OPAQUE, OPAQUE, (False, False, False, False)),
        ((1,), (1,), (False, False, False, False)),
        (Timestamp(0), Timestamp(0), (False, False, False, False)),
        (None, 1, (None, None, None, None)),
        (OPAQUE, None, (None, None, None, None)),
    ],
)
def test_comparison(left: Any, right: Any, verdicts: tuple[bool | None, ...]) -> None:
    found = tuple(APPLY[f"jms_{name}"](left, right) for name in ("eq", "ne", "lt", "le"))
    assert found == verdicts
