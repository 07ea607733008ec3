"""Strategies for filters and events that meet: few attributes and few constants, so they often compare.

`conditions()` builds any tree that a text can parse to, `events()` any event over the same attributes, and
`true_cases()` an event with a condition that is true of it by construction.
"""

from __future__ import annotations

import math
from datetime import UTC, datetime
from typing import Any

from hypothesis import strategies as st

from siftmesh.language import ast
from siftmesh.model.values import INT_MAX, INT_MIN, Timestamp

__all__ = [
    "ATTRIBUTES",
    "attributes",
    "conditions",
    "constants",
    "events",
    "expressions",
    "true_cases",
    "with_parameters",
]

NUMBERS = ("a", "b", "data.price")
STRINGS = ("s", '"odd name"', "data.name")
BOOLS = ("f", "data.used")
MOMENTS = ("w", "w2")
NUMBER_ARRAYS = ("xs", "ys")
STRING_ARRAYS = ("tags", "labels")
# Words that mean something elsewhere in the grammar, and one that must be quoted to be an attribute at all.
WORDS = ("timestamp", "exists", "some", "escape", "contains", "in", '"a.b"', "größe", "lower")
ATTRIBUTES = (*NUMBERS, *STRINGS, *BOOLS, *MOMENTS, *NUMBER_ARRAYS, *STRING_ARRAYS, *WORDS)
ARRAYS = (*NUMBER_ARRAYS, *STRING_ARRAYS)

INTS = (0, 1, -1, 2, 3, 10, 2**53, 2**53 + 1, INT_MAX, INT_MIN)
FLOATS = (0.0, -0.0, 0.5, 1.0, -1.0, 2.5, 2.0**53, 1e300, 5e-324, 0.1, 2.0**63)
TEXTS = (
    "",
    "a",
    "b",
    "ab",
    "abc",
    "aabb",
    "A",
    "a%b",
    "a_b",
    "it's",
    "\\",
    "ß",
    "ss",
    "e\u0301",
    "é",
    "\U0001f600",
)
MOMENT_TEXTS = (
    "2024-01-01T00:00:00Z",
    "2024-01-01T01:00:00+01:00",
    "2024-02-29T12:30:00.5Z",
    "1969-12-31T23:59:59Z",
)
TIMESTAMPS = tuple(
    Timestamp.of(datetime(*parts, tzinfo=UTC))  # type: ignore[misc]  # six or seven ints
    for parts in (
        (2024, 1, 1, 0, 0, 0),
        (2024, 2, 29, 12, 30, 0, 500_000),
        (1969, 12, 31, 23, 59, 59),
        (9999, 12, 31),
    )
)
COMPARISONS = ("=", "<>", "<", "<=", ">", ">=")
VARIABLES = ("x", "y", "item")


# ---- values


def numbers() -> st.SearchStrategy[int | float]:
    return st.sampled_from(INTS) | st.sampled_from(FLOATS) | st.integers(-3, 12)


def texts() -> st.SearchStrategy[str]:
    return st.sampled_from(TEXTS) | st.sampled_from(MOMENT_TEXTS)


def scalars() -> st.SearchStrategy[Any]:
    """What a constant may be."""
    return numbers() | texts() | st.booleans() | st.sampled_from(TIMESTAMPS)


def _any_value() -> st.SearchStrategy[Any]:
    strange = st.sampled_from(
        [None, math.nan, math.inf, -math.inf, b"bytes", {"z": 1}, [], [None], [[1]], ["a", 1]]
    )
    moments = st.sampled_from([moment.to_datetime() for moment in TIMESTAMPS])
    return numbers() | texts() | st.booleans() | moments | strange


def _typical(name: str) -> st.SearchStrategy[Any]:
    if name in NUMBERS:
        return numbers()
    if name in STRINGS:
        return texts()
    if name in BOOLS:
        return st.booleans()
    if name in MOMENTS:
        return st.sampled_from([moment.to_datetime() for moment in TIMESTAMPS]) | st.sampled_from(
            MOMENT_TEXTS
        )
    if name in NUMBER_ARRAYS:
        return st.lists(numbers(), min_size=2, max_size=2) | st.lists(numbers() | st.none(), max_size=3)
    if name in STRING_ARRAYS:
        return st.lists(texts() | st.none(), max_size=3)
    return _any_value()


def events() -> st.SearchStrategy[dict[str, Any]]:
    """An event as a nested mapping: most attributes typical, some missing, null or of another type."""
    return st.fixed_dictionaries({}, optional={name: _mostly_typical(name) for name in ATTRIBUTES}).map(
        _nested
    )


def _mostly_typical(name: str) -> st.SearchStrategy[Any]:
    return st.one_of(_typical(name), _typical(name), _typical(name), st.none(), _any_value())


def _nested(flat: dict[str, Any]) -> dict[str, Any]:
    event: dict[str, Any] = {}
    for name, value in flat.items():
        if name.startswith("data."):
            event.setdefault("data", {})[name.removeprefix("data.")] = value
        else:
            event[name.strip('"')] = value
    return event


# ---- expressions


def attributes(names: tuple[str, ...] = ATTRIBUTES) -> st.SearchStrategy[ast.Attribute]:
    return st.sampled_from(names).map(ast.Attribute)


def constants() -> st.SearchStrategy[ast.Literal]:
    return scalars().map(ast.Literal)


def expressions() -> st.SearchStrategy[ast.Expression]:
    """A value: usually an attribute or a constant, sometimes arithmetic or a function."""
    return st.one_of(attributes(), attributes(), constants(), computed())


def computed() -> st.SearchStrategy[ast.Expression]:
    simple = st.one_of(attributes(NUMBERS), numbers().map(ast.Literal), attributes(), constants())
    return st.recursive(
        simple,
        lambda inner: st.one_of(
            st.builds(ast.Negate, inner),
            st.builds(ast.Arithmetic, st.sampled_from(["+", "-", "*", "/", "%"]), inner, inner),
            _calls(inner),
        ),
        max_leaves=4,
    )


def _calls(inner: st.SearchStrategy[ast.Expression]) -> st.SearchStrategy[ast.Call]:
    of_one = st.sampled_from(
        ["lower", "upper", "trim", "length", "abs", "int", "float", "string", "bool", "kind"]
    )
    one = st.builds(lambda name, argument: ast.Call(name, (argument,)), of_one, inner)
    many = st.builds(
        lambda name, arguments: ast.Call(name, tuple(arguments)),
        st.sampled_from(["coalesce", "concat"]),
        st.lists(inner, min_size=1, max_size=3),
    )
    return one | many


# ---- conditions


@st.composite
def _patterns(draw: st.DrawFn) -> tuple[str, str | None]:
    """A LIKE pattern and its escape character, never ending in an escape that escapes nothing."""
    parts = draw(
        st.lists(st.sampled_from(["a", "b", "ab", "%", "_", "ß", "s", "A", "\\", "!", "'"]), max_size=6)
    )
    pattern, escape = "".join(parts), draw(st.sampled_from([None, None, "\\", "!", "a", "%", "_"]))
    dangling = False
    for character in pattern:
        dangling = character == escape and not dangling
    return (pattern + "b" if dangling else pattern), escape


@st.composite
def _likes(draw: st.DrawFn) -> ast.Like:
    operand = draw(st.one_of(attributes(STRINGS), attributes(), computed()))
    pattern, escape = draw(_patterns())
    return ast.Like(operand, ast.Literal(pattern), escape, draw(st.booleans()), draw(st.booleans()))


@st.composite
def _somes(draw: st.DrawFn) -> ast.Some:
    arrays = draw(st.lists(attributes(ARRAYS), min_size=1, max_size=2))
    bindings = tuple(ast.Binding(array, variable) for array, variable in zip(arrays, VARIABLES, strict=False))
    variables = st.sampled_from([binding.variable for binding in bindings]).map(ast.Attribute)
    term = st.builds(ast.Comparison, st.sampled_from(COMPARISONS), variables, constants())
    return ast.Some(bindings, tuple(draw(st.lists(term, min_size=1, max_size=3))))


def _typed_comparisons() -> st.SearchStrategy[ast.Comparison]:
    """An attribute beside a constant of the kind it usually has."""
    operators = st.sampled_from(COMPARISONS)
    pairs: list[tuple[tuple[str, ...], st.SearchStrategy[Any]]] = [
        (NUMBERS, numbers()),
        (STRINGS, texts()),
        (BOOLS, st.booleans()),
        (MOMENTS, st.sampled_from(TIMESTAMPS)),
    ]
    return st.one_of(
        *(
            st.builds(ast.Comparison, operators, attributes(names), values.map(ast.Literal))
            for names, values in pairs
        )
    )


def leaves() -> st.SearchStrategy[ast.Condition]:
    items = st.lists(constants(), min_size=1, max_size=4).map(tuple)
    return st.one_of(
        _typed_comparisons(),
        _typed_comparisons(),
        st.builds(ast.Comparison, st.sampled_from(COMPARISONS), expressions(), expressions()),
        st.builds(ast.Between, expressions(), expressions(), expressions(), st.booleans()),
        st.builds(ast.In, expressions(), items, st.booleans()),
        _likes(),
        st.builds(ast.IsNull, expressions(), st.booleans()),
        st.builds(ast.Exists, attributes()),
        st.builds(ast.Contains, attributes(ARRAYS) | attributes(), constants()),
        st.builds(ast.Overlaps, attributes(ARRAYS) | attributes(), items),
        _somes(),
        st.booleans().map(ast.Truth),
        st.builds(ast.IsTrue, attributes(BOOLS) | attributes() | _calls(attributes())),
    )


def conditions(max_leaves: int = 8) -> st.SearchStrategy[ast.Condition]:
    """Any condition that some text parses to, parameters aside."""
    return st.recursive(leaves(), _combined, max_leaves=max_leaves)


def _combined(inner: st.SearchStrategy[ast.Condition]) -> st.SearchStrategy[ast.Condition]:
    several = st.lists(inner, min_size=2, max_size=4).map(tuple)
    return st.builds(ast.Not, inner) | st.builds(ast.And, several) | st.builds(ast.Or, several)


# ---- conditions that are true by construction

# Built once: making a strategy costs more than drawing from it.
_EVENTS, _SMALL, _TEXT, _INT = events(), conditions(max_leaves=3), texts(), st.integers(-3, 12)
_GROWTH = st.lists(st.sampled_from(["and", "or", "not not"]), max_size=3)


@st.composite
def true_cases(draw: st.DrawFn) -> tuple[dict[str, Any], ast.Condition]:
    """An event, and a condition that is true of it."""
    event = dict(draw(_EVENTS))
    event["a"], event["s"], event["f"] = draw(_INT), draw(_TEXT), draw(st.booleans())
    event["xs"] = [draw(_INT) for _ in range(1 + draw(_INT) % 3)]
    event["ys"] = [draw(_INT) for _ in event["xs"]]
    condition = _true_leaf(draw, event)
    for way in draw(_GROWTH):
        if way == "and":
            condition = ast.And((condition, _true_leaf(draw, event)))
        elif way == "or":
            condition = ast.Or((draw(_SMALL), condition))
        else:
            condition = ast.Not(ast.Not(condition))
    return event, condition


def _true_leaf(draw: st.DrawFn, event: dict[str, Any]) -> ast.Condition:
    number, text = event["a"], event["s"]
    a, s = ast.Attribute("a"), ast.Attribute("s")
    index = draw(st.integers(0, len(event["xs"]) - 1))
    x, y = event["xs"][index], event["ys"][index]
    bindings = (ast.Binding(ast.Attribute("xs"), "x"), ast.Binding(ast.Attribute("ys"), "y"))
    cut = draw(st.integers(0, len(text)))
    start = text[:cut].replace("!", "!!").replace("%", "!%").replace("_", "!_") + "%"
    choices: list[ast.Condition] = [
        ast.Comparison("=", a, ast.Literal(float(number))),
        ast.Comparison("<>", a, ast.Literal(number + 1)),
        ast.Comparison("<", a, ast.Literal(number + 0.5)),
        ast.Comparison("<=", ast.Literal(number), a),
        ast.Not(ast.Comparison(">", a, ast.Literal(number))),
        ast.Between(a, ast.Literal(number), ast.Literal(number + 1)),
        ast.Between(a, ast.Literal(number + 1), ast.Literal(number), negated=True),
        ast.In(a, (ast.Literal("other"), ast.Literal(number))),
        ast.In(s, (ast.Literal(text + "x"),), negated=True),
        ast.Comparison("=", s, ast.Literal(text)),
        ast.Comparison(">=", s, ast.Literal(text[:cut])),
        ast.Like(s, ast.Literal(start), "!"),
        ast.Like(s, ast.Literal("_" * len(text))),
        ast.Like(s, ast.Literal("_" * (len(text) + 1)), negated=True),
        ast.IsTrue(ast.Attribute("f")) if event["f"] else ast.Not(ast.IsTrue(ast.Attribute("f"))),
        ast.Exists(ast.Attribute("f")),
        ast.IsNull(ast.Attribute("nowhere")),
        ast.Contains(ast.Attribute("xs"), ast.Literal(x)),
        ast.Overlaps(ast.Attribute("ys"), (ast.Literal("b"), ast.Literal(y))),
        ast.Some(
            bindings,
            (
                ast.Comparison(">=", ast.Attribute("x"), ast.Literal(x)),
                ast.Comparison("=", ast.Attribute("y"), ast.Literal(y)),
            ),
        ),
        ast.Comparison("=", ast.Arithmetic("+", a, ast.Literal(1)), ast.Literal(number + 1)),
        ast.Comparison("=", ast.Call("length", (s,)), ast.Literal(len(text))),
    ]
    return choices[draw(st.integers(0, len(choices) - 1))]


# ---- templates


@st.composite
def with_parameters(draw: st.DrawFn, condition: ast.Condition) -> tuple[ast.Condition, dict[str, Any]]:
    """The condition with some of its constants taken out, and what to bind to get it back."""
    bound: dict[str, Any] = {}

    def replaced(node: Any) -> Any:
        if isinstance(node, ast.Literal):
            if not draw(st.booleans()):
                return node
            name = f"p{len(bound)}"
            bound[name] = node.value
            return ast.Parameter(name)
        if isinstance(node, ast.Node):
            return type(node)(*(replaced(getattr(node, field)) for field in node.__struct_fields__))
        if isinstance(node, tuple) and node and isinstance(node[0], ast.Node):
            return tuple(replaced(item) for item in node)
        return node

    return replaced(condition), bound
