from __future__ import annotations

from typing import Any

import pytest

from siftmesh.model.functions import FUNCTIONS
from siftmesh.model.functions.cesql import (
    ABSENT,
    BUILT_IN,
    CESQL,
    INT32_MAX,
    INT32_MIN,
    OPERATORS,
    Result,
    all_true,
    any_true,
    cast,
    odd_true,
    perform,
    primitive,
    result_of,
)
from siftmesh.model.values import OPAQUE, Timestamp

FAILED = Result(False, "math")


@pytest.mark.parametrize(
    ("value", "read"),
    [
        (None, None),
        (True, True),
        ("x", "x"),
        (5, 5),
        (5.0, 5),
        (-0.0, 0),
        (INT32_MAX, INT32_MAX),
        (INT32_MAX + 1, "2147483648"),
        (1e20, "100000000000000000000"),
        (5.5, "5.5"),
        (float("inf"), "Infinity"),
        (float("-inf"), "-Infinity"),
        (Timestamp(0), "1970-01-01T00:00:00Z"),
        ((1, 2), "[]"),
        (OPAQUE, "{}"),
    ],
)
def test_every_value_reads_as_one_of_three_kinds(value: Any, read: Any) -> None:
    assert primitive(value) == read
    assert type(primitive(value)) is type(read)
    assert result_of(value) == (ABSENT if read is None else Result(read))


@pytest.mark.parametrize(
    ("value", "kind", "result"),
    [
        (5, str, Result("5")),
        (-5, str, Result("-5")),
        (True, str, Result("true")),
        (False, str, Result("false")),
        (0, bool, Result(False)),
        (-7, bool, Result(True)),
        ("TRUE", bool, Result(True)),
        ("falsE", bool, Result(False)),
        ("falſe", bool, Result(False, "cast")),
        ("1", bool, Result(False, "cast")),
        (True, int, Result(1)),
        ("+05", int, Result(5)),
        ("-2147483648", int, Result(INT32_MIN)),
        ("2147483648", int, Result(0, "cast")),
        ("0" * 5000 + "7", int, Result(7)),
        ("9" * 5000, int, Result(0, "cast")),
        ("", int, Result(0, "cast")),
        ("+", int, Result(0, "cast")),
        (" 5", int, Result(0, "cast")),
        ("5\n", int, Result(0, "cast")),
        ("٣", int, Result(0, "cast")),
    ],
)
def test_casts(value: Any, kind: type, result: Result) -> None:
    assert cast(value, kind) == result
    assert type(cast(value, kind).value) is kind


@pytest.mark.parametrize(
    ("operands", "conjunction", "disjunction", "parity"),
    [
        ([True, True], True, True, False),
        ([True, False], False, True, True),
        ([False, False], False, False, False),
        (["true", 7, True], True, True, True),
    ],
)
def test_logic(operands: list[Any], conjunction: bool, disjunction: bool, parity: bool) -> None:
    results = [Result(operand) for operand in operands]
    assert all_true(results) == Result(conjunction)
    assert any_true(results) == Result(disjunction)
    assert odd_true(results) == Result(parity)


def test_logic_stops_at_its_verdict_and_at_errors() -> None:
    assert all_true([Result(False), FAILED]) == Result(False)
    assert any_true([Result(True), FAILED]) == Result(True)
    for decide in (all_true, any_true, odd_true):
        assert decide([FAILED, Result(True), Result(False)]) == FAILED
        assert decide([Result("x"), Result(True)]) == Result(False, "cast")
    assert odd_true([Result(True), FAILED]) == FAILED


@pytest.mark.parametrize(
    ("operator", "operands", "result"),
    [
        ("add", [INT32_MAX, 1], Result(0, "math")),
        ("subtract", [INT32_MIN, 1], Result(0, "math")),
        ("multiply", [65536, 65536], Result(0, "math")),
        ("multiply", ["6", "7"], Result(42)),
        ("divide", [-7, 2], Result(-3)),
        ("divide", [7, -2], Result(-3)),
        ("divide", [-7, -2], Result(3)),
        ("divide", [INT32_MIN, -1], Result(0, "math")),
        ("divide", [1, 0], Result(0, "math")),
        ("remainder", [-7, 2], Result(-1)),
        ("remainder", [7, -2], Result(1)),
        ("remainder", [7, 0], Result(0, "math")),
        ("negate", [INT32_MIN], Result(0, "math")),
        ("negate", ["x"], Result(0, "cast")),
        ("not", [False], Result(True)),
        ("not", ["true"], Result(False)),
        ("not", [0], Result(True, "cast")),
        ("not", ["x"], Result(True, "cast")),
        ("equal", [5, "5"], Result(True)),
        ("equal", ["5", 5], Result(True)),
        ("equal", ["05", 5], Result(True)),
        ("equal", [5, "05"], Result(False)),
        ("equal", ["x", 5], Result(False, "cast")),
        ("equal", [7, True], Result(True)),
        ("equal", [True, 7], Result(False)),
        ("less", ["9", "10"], Result(True)),
        ("at_most", [True, 1], Result(True)),
        ("more", ["b", "a"], Result(False, "cast")),
        ("at_least", [3, 3], Result(True)),
        ("in", [5, "05", 6], Result(True)),
        ("in", ["5", 5, 6], Result(True)),
        ("in", [5, 5, "x"], Result(False, "cast")),
        ("in", [True, "false"], Result(False)),
        ("like", [23, "2_"], Result(True)),
    ],
)
def test_operators(operator: str, operands: list[Any], result: Result) -> None:
    found = perform(OPERATORS[operator], [Result(operand) for operand in operands])
    assert found == result
    assert type(found.value) is type(result.value)


@pytest.mark.parametrize(
    ("name", "arguments", "result"),
    [
        ("ABS", [INT32_MIN], Result(INT32_MAX, "math")),
        ("ABS", [-3], Result(3)),
        ("LENGTH", ["a😀"], Result(2)),
        ("LENGTH", [-12], Result(3)),
        ("CONCAT", [1, True, "x"], Result("1truex")),
        ("CONCAT_WS", ["-", 1, 2], Result("1-2")),
        ("UPPER", ["ß"], Result("SS")),
        ("TRIM", ["\u2003 a b\u3000\n"], Result("a b")),
        ("TRIM", ["\x1fa\u200b"], Result("\x1fa\u200b")),
        ("LEFT", ["abc", "2"], Result("ab")),
        ("LEFT", ["abc", "x"], Result("", "cast")),
        ("LEFT", ["abc", -1], Result("abc", "functionEvaluation")),
        ("RIGHT", ["abc", 0], Result("")),
        ("RIGHT", ["abc", 2], Result("bc")),
        ("RIGHT", ["abc", 9], Result("abc")),
        ("SUBSTRING", ["abc", -2], Result("bc")),
        ("SUBSTRING", ["abc", 4], Result("", "functionEvaluation")),
        ("SUBSTRING", ["abc", 2, 99], Result("bc")),
        ("SUBSTRING", ["abc", 0, 1], Result("")),
        ("SUBSTRING", ["abc", 1, -1], Result("", "functionEvaluation")),
        ("SUBSTRING", ["", 0], Result("")),
    ],
)
def test_functions(name: str, arguments: list[Any], result: Result) -> None:
    operation = next(overload for overload in BUILT_IN[name] if overload.accepts(len(arguments)))
    assert perform(operation, [Result(argument) for argument in arguments]) == result


def test_an_operand_that_failed_gives_the_zero_value_of_the_result() -> None:
    assert perform(OPERATORS["divide"], [ABSENT, Result(0)]) == Result(0, "missingAttribute")
    assert perform(OPERATORS["not"], [ABSENT]) == Result(False, "missingAttribute")
    assert perform(BUILT_IN["LOWER"][0], [FAILED]) == Result("", "math")


def test_overloads_are_told_apart_by_the_number_of_arguments() -> None:
    assert [overload.accepts(2) for overload in BUILT_IN["SUBSTRING"]] == [True, False]
    assert [overload.accepts(3) for overload in BUILT_IN["SUBSTRING"]] == [False, True]
    assert not BUILT_IN["CONCAT_WS"][0].accepts(0)
    assert BUILT_IN["CONCAT"][0].accepts(0)


@pytest.mark.parametrize(
    ("call", "value"),
    [
        (("cesql_int", "+07"), 7),
        (("cesql_int", "x"), None),
        (("cesql_int", None), None),
        (("cesql_string", 5.5), "5.5"),
        (("cesql_substring", "abc", 2), "bc"),
        (("cesql_substring", "abc", 2, 1), "b"),
        (("cesql_equal", 5, "5"), True),
        (("cesql_not", 5), None),
        (("cesql_and", False, None), False),
        (("cesql_and", True, None), None),
        (("cesql_or", True, None), True),
        (("cesql_or", None, True), None),
        (("cesql_xor", True, "false", True), False),
        (("cesql_exists", None), False),
        (("cesql_exists", 0), True),
        (("cesql_type", 5.5), "string"),
        (("cesql_type", 5.0), "integer"),
        (("cesql_type", True), "boolean"),
        (("cesql_type", None), None),
    ],
)
def test_scalar_functions_answer_null_where_there_is_an_error(call: tuple[Any, ...], value: Any) -> None:
    name, *arguments = call
    assert FUNCTIONS[name].accepts(len(arguments))
    found = FUNCTIONS[name].apply(*arguments)
    assert found == value
    assert type(found) is type(value)


def test_a_scalar_function_of_a_number_of_arguments_between_two_overloads_answers_null() -> None:
    assert FUNCTIONS["cesql_substring"].least == 2
    assert FUNCTIONS["cesql_substring"].most == 3
    assert FUNCTIONS["cesql_substring"].apply("abc") is None


def test_all_are_registered_under_names_of_their_own() -> None:
    assert len({function.name for function in CESQL}) == len(CESQL)
    assert all(FUNCTIONS[function.name] is function for function in CESQL)
