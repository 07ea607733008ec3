"""Filters that SQL engines read as we do, and tables for them: typed columns, few values, many nulls."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any, NamedTuple

from hypothesis import strategies as st

from siftmesh.language import ast
from siftmesh.model.values import INT_MAX, INT_MIN, Timestamp

__all__ = ["COLUMNS", "Engine", "filters_of", "grids", "rows_of"]

# i, j, x: small numbers, fit for arithmetic; k and y: large ones, which are compared only.
COLUMNS = {
    "i": "BIGINT",
    "j": "BIGINT",
    "k": "BIGINT",
    "x": "DOUBLE",
    "y": "DOUBLE",
    "s": "VARCHAR",
    "t": "VARCHAR",
    "b": "BOOLEAN",
    "c": "BOOLEAN",
    "w": "TIMESTAMP",
    "v": "TIMESTAMP",
}

SMALL_INTS = (-3, -2, -1, 0, 1, 2, 3, 7, 10)
BIG_INTS = (2**53, 2**53 + 1, 2**53 + 2, -(2**53) - 1, INT_MAX, INT_MIN, 0, 1)
# Sums and products of these are exact, so that the order of an engine's optimiser cannot show.
SMALL_FLOATS = (-2.5, -1.0, -0.0, 0.0, 0.25, 0.5, 1.0, 2.0, 7.0)
BIG_FLOATS = (2.0**53, 2.0**53 + 2, -(2.0**53), 2.0**63, 1e300, -1e300, 5e-324, 0.1, 0.0)
TEXTS = (
    "",
    "a",
    "b",
    "ab",
    "abc",
    "abcabc",
    "A",
    "aB",
    "a%",
    "a_b",
    "50%",
    "it's",
    "\\",
    "é",
    "e\u0301",
    "\U0001f600",
)
MOMENTS = tuple(Timestamp(micros) for micros in (0, 1, -1, 1_704_067_200_000_000, 1_709_209_800_500_000))


class Engine(NamedTuple):
    """What an engine agrees with us on, beyond what all do."""

    division: bool
    ilike: bool
    timestamps: bool
    # Whether an int beside a double is compared exactly.
    exact_mixes: bool
    big_floats: tuple[float, ...] = BIG_FLOATS


def rows_of(engine: Engine) -> st.SearchStrategy[list[dict[str, Any]]]:
    """Rows of a table, each value null one time in five."""
    pools: dict[str, tuple[Any, ...]] = {
        "BIGINT": SMALL_INTS,
        "DOUBLE": SMALL_FLOATS,
        "VARCHAR": TEXTS,
        "BOOLEAN": (True, False),
        "TIMESTAMP": MOMENTS,
    }
    columns = {name: pools[kind] for name, kind in COLUMNS.items()}
    columns |= {"k": BIG_INTS, "y": engine.big_floats}
    if not engine.timestamps:
        del columns["w"], columns["v"]
    values = {name: st.sampled_from([*pool] * 4 + [None] * len(pool)) for name, pool in columns.items()}
    return st.lists(st.fixed_dictionaries(values), min_size=4, max_size=8)


def _literals(pool: tuple[Any, ...]) -> st.SearchStrategy[ast.Expression]:
    return st.sampled_from(pool).map(ast.Literal)


def _names(*names: str) -> st.SearchStrategy[ast.Expression]:
    return st.sampled_from(names).map(ast.Attribute)


def filters_of(engine: Engine) -> st.SearchStrategy[ast.Condition]:
    """Conditions in which only values of one kind meet."""
    leaves = [*_of_numbers(engine), *_of_strings(engine), *_of_bools()]
    if engine.timestamps:
        moments = _names("w", "v") | _literals(MOMENTS)
        leaves += _ordered(moments, _literals(MOMENTS))
    return st.recursive(
        st.one_of(*leaves),
        lambda inner: st.one_of(
            st.builds(ast.Not, inner),
            st.builds(ast.And, st.lists(inner, min_size=2, max_size=3).map(tuple)),
            st.builds(ast.Or, st.lists(inner, min_size=2, max_size=3).map(tuple)),
        ),
        max_leaves=6,
    )


def _ordered(
    values: st.SearchStrategy[ast.Expression], constants: st.SearchStrategy[ast.Expression]
) -> list[st.SearchStrategy[ast.Condition]]:
    """Everything that can be asked of values in an order."""
    operators = st.sampled_from(["=", "<>", "<", "<=", ">", ">="])
    return [
        st.builds(ast.Comparison, operators, values, constants),
        st.builds(ast.Comparison, operators, values, values),
        st.builds(ast.Between, values, values, constants, st.booleans()),
        st.builds(ast.In, values, st.lists(constants, min_size=1, max_size=4).map(tuple), st.booleans()),
        st.builds(ast.IsNull, values, st.booleans()),
    ]


def _of_numbers(engine: Engine) -> list[st.SearchStrategy[ast.Condition]]:
    ints = _arithmetic(_names("i", "j") | _literals(SMALL_INTS), ["+", "-", "*", "%"], engine)
    # Not %: engines cut floats to ints first, or do not have it.
    mixed = _arithmetic(_names("i", "x") | _literals(SMALL_FLOATS), ["+", "-", "*"], engine)
    small = ints | mixed
    leaves = _ordered(small, _literals(SMALL_INTS) | _literals(SMALL_FLOATS))
    leaves += _ordered(_names("k"), _literals(BIG_INTS)) + _ordered(_names("y"), _literals(BIG_FLOATS))
    if engine.exact_mixes:
        leaves += _ordered(_names("k", "y", "i", "x"), _literals(BIG_INTS) | _literals(BIG_FLOATS))
    return leaves


def _arithmetic(
    simple: st.SearchStrategy[ast.Expression], operators: list[Any], engine: Engine
) -> st.SearchStrategy[ast.Expression]:
    if engine.division:
        operators = [*operators, "/"]

    def larger(inner: st.SearchStrategy[ast.Expression]) -> st.SearchStrategy[ast.Expression]:
        return st.one_of(
            st.builds(ast.Arithmetic, st.sampled_from(operators), inner, inner),
            st.builds(ast.Negate, inner),
            inner.map(lambda argument: ast.Call("abs", (argument,))),
            st.builds(lambda *arguments: ast.Call("coalesce", arguments), inner, inner),
        )

    return simple | st.recursive(simple, larger, max_leaves=3)


@st.composite
def _likes(draw: st.DrawFn, strings: st.SearchStrategy[ast.Expression], ilike: bool) -> ast.Like:
    parts = draw(st.lists(st.sampled_from(["a", "b", "c", "ab", "%", "_", "A", "é", "'"]), max_size=5))
    escape = draw(st.sampled_from([None, "!", "\\"]))
    if escape is not None:
        parts.insert(draw(st.integers(0, len(parts))), escape + draw(st.sampled_from(["%", "_", escape])))
    ignore_case = ilike and draw(st.booleans())
    return ast.Like(draw(strings), ast.Literal("".join(parts)), escape, ignore_case, draw(st.booleans()))


def _of_strings(engine: Engine) -> list[st.SearchStrategy[ast.Condition]]:
    columns, constants = _names("s", "t"), _literals(TEXTS)
    trimmed = columns.map(lambda column: ast.Call("trim", (column,)))
    either = st.builds(lambda *arguments: ast.Call("coalesce", arguments), columns, constants)
    lengths = columns.map(lambda column: ast.Call("length", (column,)))
    strings = st.one_of(columns, columns, trimmed, either)
    return [
        *_ordered(strings, constants),
        _likes(columns, engine.ilike),
        _likes(strings, engine.ilike),
        *_ordered(lengths, _literals(SMALL_INTS)),
    ]


def _of_bools() -> list[st.SearchStrategy[ast.Condition]]:
    """Bools have no order with us, so they are only ever equal or not."""
    columns, constants = _names("b", "c"), _literals((True, False))
    return [
        columns.map(ast.IsTrue),
        st.builds(ast.Comparison, st.sampled_from(["=", "<>"]), columns, columns | constants),
        st.builds(ast.In, columns, st.lists(constants, min_size=1, max_size=2).map(tuple), st.booleans()),
        st.builds(ast.IsNull, columns, st.booleans()),
        st.booleans().map(ast.Truth),
    ]


# ---- grids: every pair of values under every operator, where chance would need long to find the odd one

Grid = tuple[str, list[str], list[dict[str, Any]]]
_SIGNS = ("=", "<>", "<", "<=", ">", ">=")


def _pairs(left: str, lefts: tuple[Any, ...], right: str, rights: tuple[Any, ...]) -> list[dict[str, Any]]:
    return [{left: one, right: other} for one, other in product((*lefts, None), (*rights, None))]


def grids(engine: Engine) -> Iterator[Grid]:
    """Named lists of filters, each with the rows to try them all on."""
    comparisons = [f"i {sign} j" for sign in _SIGNS]
    yield "ints", comparisons, _pairs("i", SMALL_INTS, "j", SMALL_INTS)
    yield "doubles", [f"x {sign} y" for sign in _SIGNS], _pairs("x", SMALL_FLOATS, "y", engine.big_floats)
    yield "strings", [f"s {sign} t" for sign in _SIGNS], _pairs("s", TEXTS, "t", TEXTS)
    yield (
        "bools",
        ["b = c", "b <> c", "b", "NOT b", "b AND c", "b OR c"],
        _pairs("b", (True, False), "c", (True, False)),
    )
    if engine.timestamps:
        yield "timestamps", [f"w {sign} v" for sign in _SIGNS], _pairs("w", MOMENTS, "v", MOMENTS)
    if engine.exact_mixes:
        yield (
            "large ints and doubles",
            [f"k {sign} y" for sign in _SIGNS],
            _pairs("k", BIG_INTS, "y", engine.big_floats),
        )
    of_ints = ["+", "-", "*", "%", *(["/"] if engine.division else [])]
    results = (*range(-10, 11), 14, 21, 49, 70, 100)
    arithmetic = [f"i {operator} j = {result}" for operator, result in product(of_ints, results)]
    yield "arithmetic of ints", arithmetic, _pairs("i", SMALL_INTS, "j", SMALL_INTS)
    of_floats = ["+", "-", "*", *(["/"] if engine.division else [])]
    results_and_halves = [number / 4 for number in range(-12, 13)]
    mixed = [f"i {operator} x = {result}" for operator, result in product(of_floats, results_and_halves)]
    yield "arithmetic of ints and doubles", mixed, _pairs("i", SMALL_INTS, "x", SMALL_FLOATS)
    bounds = product((-2, 0, 3), (-2, 0, 3), ("", "NOT "))
    between = [f"i {negation}BETWEEN {low} AND {high}" for low, high, negation in bounds]
    between += ["i BETWEEN j AND 3", "i NOT BETWEEN j AND 3", "i BETWEEN 0 AND j", "i NOT BETWEEN 0 AND j"]
    yield "ranges", between, _pairs("i", SMALL_INTS, "j", SMALL_INTS)
    for verb in ("LIKE", "ILIKE") if engine.ilike else ("LIKE",):
        yield verb, _patterns(verb), [{"s": text} for text in (*TEXTS, "!", "a!", "Ab", "ba", None)]


def _patterns(verb: str) -> list[str]:
    """Every pattern of up to four of these characters, with and without an escape."""
    found = []
    for length in range(5):
        for characters in product("aB%_!", repeat=length):
            pattern = "".join(characters)
            found.append(f"s {verb} '{pattern}'")
            if pattern.replace("!!", "").replace("!%", "").replace("!_", "").count("!") == 0:
                found.append(f"s NOT {verb} '{pattern}' ESCAPE '!'")
    return found
