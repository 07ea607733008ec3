"""The language's own functions and arithmetic: exact on 64 bits, null wherever there is no answer."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from siftmesh.model.functions import FUNCTIONS
from siftmesh.model.functions.native import ARITHMETIC, NATIVE, negate
from siftmesh.model.functions.registry import Function
from siftmesh.model.values import INT_MAX, INT_MIN, OPAQUE, Kind, Timestamp, kind_of

VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, 1, -7, 3, INT_MAX, INT_MIN, 0.0, -0.0, 0.5, -2.5, 1e308, math.inf, -math.inf),
    *("", "a", " A ", "12", "-1.5e3", "true", "ß", Timestamp(0), (), (1, "a"), OPAQUE),
)
INTS = st.sampled_from([0, 1, -1, 2, -2, 7, INT_MAX, INT_MIN]) | st.integers(INT_MIN, INT_MAX)


def same(left: Any, right: Any) -> bool:
    return type(left) is type(right) and (left == right) and (str(left) == str(right))


@pytest.mark.parametrize(
    ("left", "operator", "right", "result"),
    [
        (1, "+", 2, 3),
        (1, "+", 2.0, 3.0),
        (0.1, "+", 0.2, 0.1 + 0.2),
        (INT_MAX, "+", 1, None),
        (INT_MIN, "-", 1, None),
        (2**32, "*", 2**32, None),
        (7, "/", 2, 3),
        (-7, "/", 2, -3),
        (7, "/", -2, -3),
        (7.0, "/", 2, 3.5),
        (1, "/", 0, None),
        (1.0, "/", 0.0, None),
        (INT_MIN, "/", -1, None),
        (7, "%", 3, 1),
        (-7, "%", 3, -1),
        (7, "%", -3, 1),
        (7.5, "%", 2, 1.5),
        (-7.5, "%", 2, -1.5),
        (1, "%", 0, None),
        (1.0, "%", 0, None),
        (math.inf, "%", 2, None),
        (math.inf, "-", math.inf, None),
        (1e308, "*", 10, math.inf),
        (0.0, "*", math.inf, None),
        (True, "+", 1, None),
        ("1", "+", 1, None),
        (None, "+", 1, None),
        (1, "+", Timestamp(0), None),
    ],
)
def test_arithmetic(left: Any, operator: str, right: Any, result: Any) -> None:
    assert same(ARITHMETIC[operator](left, right), result)


@given(INTS, INTS, st.sampled_from("+-*/%"))
def test_arithmetic_of_ints_is_exact_or_null(left: int, right: int, operator: str) -> None:
    found = ARITHMETIC[operator](left, right)
    if operator in "/%":
        if right == 0:
            assert found is None
            return
        quotient = math.trunc(Fraction(left, right))
        exact = quotient if operator == "/" else left - quotient * right
    else:
        exact = int({"+": left + right, "-": left - right, "*": left * right}[operator])
    assert found == (exact if INT_MIN <= exact <= INT_MAX else None)


@pytest.mark.parametrize(
    ("value", "result"),
    [(5, -5), (0.0, -0.0), (INT_MIN, None), (math.inf, -math.inf), (True, None), ("5", None), (None, None)],
)
def test_minus(value: Any, result: Any) -> None:
    assert same(negate(value), result)


@pytest.mark.parametrize(
    ("name", "arguments", "result"),
    [
        ("lower", ("ÄB",), "äb"),
        ("upper", ("straße",), "STRASSE"),
        ("trim", ("  a b \t",), "a b \t"),
        ("length", ("\U0001f600é",), 2),
        ("length", ((1, None),), 2),
        ("length", (OPAQUE,), None),
        ("abs", (-5,), 5),
        ("abs", (-2.5,), 2.5),
        ("abs", (INT_MIN,), None),
        ("abs", (True,), None),
        ("coalesce", (None, None, 3, 4), 3),
        ("coalesce", (None,), None),
        ("concat", (), ""),
        ("concat", ("a", "b"), "ab"),
        ("concat", ("a", None), None),
        ("concat", ("a", 1), None),
        ("int", (True,), 1),
        ("int", (-2.9,), -2),
        ("int", (1e300,), None),
        ("int", (math.inf,), None),
        ("int", ("+12",), 12),
        ("int", ("9223372036854775808",), None),
        ("int", ("1.5",), None),
        ("int", (" 1",), None),
        ("int", ("١",), None),
        ("float", ("1e3",), 1000.0),
        ("float", (".5",), 0.5),
        ("float", ("nan",), None),
        ("float", ("1_0",), None),
        ("float", (3,), 3.0),
        ("string", (1.0,), "1.0"),
        ("string", (False,), "false"),
        ("string", (Timestamp(0),), "1970-01-01T00:00:00Z"),
        ("string", ((),), None),
        ("bool", ("TRUE",), True),
        ("bool", (2,), True),
        ("bool", ("yes",), None),
        ("bool", (1.0,), None),
        ("kind", (None,), "null"),
        ("kind", ((),), "array"),
        ("kind", (OPAQUE,), "opaque"),
    ],
)
def test_functions(name: str, arguments: tuple[Any, ...], result: Any) -> None:
    assert same(FUNCTIONS[name].apply(*arguments), result)


@pytest.mark.parametrize("function", NATIVE, ids=lambda function: function.name)
@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_every_function_takes_every_value_and_gives_one(function: Any, value: Any) -> None:
    found = function.apply(*[value] * max(1, function.least))
    assert found is None or function.result in (None, kind_of(found))
    assert type(found) is not int or INT_MIN <= found <= INT_MAX
    assert found == found  # never NaN


@given(st.floats(allow_nan=False))
def test_a_number_survives_being_text(number: float) -> None:
    written = FUNCTIONS["string"].apply(number)
    if math.isfinite(number):
        assert FUNCTIONS["float"].apply(written) == number == float(Decimal(written))


OF_EACH_KIND: dict[Kind, Any] = {
    Kind.BOOL: True,
    Kind.NUMBER: 5,
    Kind.STRING: "5",
    Kind.TIMESTAMP: Timestamp(0),
    Kind.ARRAY: (1, 2),
}


@pytest.mark.parametrize("function", [one for one in NATIVE if one.takes], ids=lambda one: one.name)
def test_of_kinds_that_a_function_does_not_take_it_makes_null(function: Function) -> None:
    for kind, value in OF_EACH_KIND.items():
        assert (function.apply(value) is not None) is (kind in function.takes)
