from __future__ import annotations

from typing import Any

import pytest

from siftmesh.model.functions.cloudevents import CLOUDEVENTS
from siftmesh.model.values import OPAQUE, Timestamp

((NAME, APPLY),) = ((function.name, function.apply) for function in CLOUDEVENTS)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("x", "x"), ("", ""), (True, "true"), (False, "false"), (5, "5"), (-12, "-12"),
        (5.0, "5"), (-0.0, "0"),
        (0.5, None), (1e300, None), (float("inf"), None),
        (2.0**63, None), (-(2.0**63), "-9223372036854775808"),
        (Timestamp(0), "1970-01-01T00:00:00Z"), (Timestamp(1), "1970-01-01T00:00:00.000001Z"),
        (None, None), (("x",), None), (OPAQUE, None),
    ],
)  # fmt: skip
def test_the_text_of_an_attribute(value: Any, text: str | None) -> None:
    assert NAME == "ce_text"
    assert APPLY(value) == text
