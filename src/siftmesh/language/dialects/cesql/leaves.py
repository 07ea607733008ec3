"""When a comparison of CloudEvents SQL is true, when false, and when it can be read, as conditions.

An attribute may hold a string, a number or a boolean, and CloudEvents SQL casts whatever it meets. So
`a = '5'` asks for the string '5' or the number 5. Each leaf is made of ordinary comparisons, which an
index can find, and of residual tests (`cesql_*`) only where casts reach further than comparisons; those
stand behind a comparison that holds whenever they do.
"""

from __future__ import annotations

from collections.abc import Sequence

from siftmesh.language import ast
from siftmesh.language.dialects.cesql.computed import Operand, attribute_of, call, computed
from siftmesh.language.dialects.cesql.pieces import ALWAYS, Fact, Piece, all_of, any_of, leaf
from siftmesh.language.dialects.cesql.readings import foreign_readings, other_matches, readings
from siftmesh.language.dialects.cesql.sides import (
    FAILS,
    Sides,
    a_string,
    asked,
    compare,
    equal,
    known_of,
    like,
    listed,
    matches,
    plain,
    present,
    reads,
    settled,
    spelled,
)
from siftmesh.language.dialects.cesql.tree import (
    Apply,
    Attribute,
    Call,
    Exists,
    Expression,
    In,
    Like,
    Literal,
    Not,
    always_read,
    kind_of,
    size,
)
from siftmesh.model.functions.cesql import Primitive, cast
from siftmesh.model.path import quote

__all__ = ["leaf_sides", "residual"]

_ORDERINGS: dict[str, ast.ComparisonOperator] = {"less": "<", "at_most": "<=", "more": ">", "at_least": ">="}
_OPPOSITE = {"less": "at_least", "at_most": "more", "more": "at_most", "at_least": "less"}
_MIRRORED = {"less": "more", "at_most": "at_least", "more": "less", "at_least": "at_most"}
_ARITHMETIC = {"less": int.__lt__, "at_most": int.__le__, "more": int.__gt__, "at_least": int.__ge__}
# Every string that reads as an integer starts with a sign or a digit, so it lies between these.
_LOWEST_INTEGER, _ABOVE_INTEGERS = "+", ":"
_CASTS = {"INT": int, "BOOL": bool, "STRING": str}


def leaf_sides(node: Expression) -> Sides:
    """The sides of an expression that has an attribute in it and is not made of conditions."""
    if isinstance(node, Attribute):
        return _flag(attribute_of(node), True)
    if isinstance(node, Not):
        return _negated(node)
    if isinstance(node, Exists):
        attribute = attribute_of(node.attribute)
        there = leaf(reads(attribute), known_of(attribute, "present"))
        return Sides.known(there, leaf(ast.IsNull(attribute, False, node.span)), ALWAYS)
    if isinstance(node, Like):
        return _like(node)
    if isinstance(node, In) and isinstance(node.operand, Attribute):
        values = [item.value for item in node.items if isinstance(item, Literal)]
        if len(values) == len(node.items):
            return _member(attribute_of(node.operand), values)
    if isinstance(node, Apply) and len(node.operands) == 2:
        found = _comparison(node, *node.operands)
        if found is not None:
            return found
    return residual(node)


def residual(node: Expression) -> Sides:
    """The sides of any expression, by computing it as a whole."""
    value = computed(node)
    if isinstance(value, ast.Literal) or kind_of(node) is not bool:
        value = ast.Call("cesql_bool", (value,), node.span)
    return _tested(node, value, *(compare(value, "=", verdict) for verdict in (True, False)))


def _tested(node: Expression, value: Operand, true: ast.Condition, false: ast.Condition) -> Sides:
    """The sides that two tests of a computed value make."""
    weight = size(node)
    readable: Fact = ("readable", value)
    known: list[Fact] = [("present", quote(name)) for name in always_read(node)]
    return Sides.known(
        leaf(true, [*known, readable], weight),
        leaf(false, [*known, readable], weight),
        leaf(reads(value), known, weight, states=readable),
    )


# ---- booleans


def _flag(attribute: ast.Attribute, wanted: bool) -> Sides:
    """The attribute, cast to a boolean, equals `wanted`."""
    return Sides.read(
        lambda: _reads_as(attribute, wanted),
        lambda: _reads_as(attribute, not wanted),
        lambda: settled(attribute, "bool"),
    )


def _reads_as(attribute: ast.Attribute, flag: bool) -> Piece:
    numbers = plain(attribute, compare(attribute, "<>", 0)) if flag else equal(attribute, 0)
    cast_to_it = asked(attribute, compare(call("bool", attribute), "=", flag), "bool")
    possible = any_of(numbers, spelled(attribute, flag))
    return any_of(equal(attribute, flag), all_of(possible, cast_to_it))


def _negated(node: Not) -> Sides:
    """NOT of something that is no boolean by itself."""
    operand = node.operand
    if kind_of(operand) is int:
        return FAILS  # whatever the integer
    whole = residual(node)
    if not isinstance(operand, Attribute):
        return whole
    # Only booleans, and strings that spell one: here integers are an error.
    attribute = attribute_of(operand)

    def possible(flag: bool) -> Piece:
        return any_of(equal(attribute, flag), spelled(attribute, flag))

    return Sides.read(
        lambda: all_of(possible(False), whole.true),
        lambda: all_of(possible(True), whole.false),
        lambda: whole.near_true,
    )


# ---- comparisons


def _comparison(node: Apply, left: Expression, right: Expression) -> Sides | None:
    """The sides of a comparison of an attribute with a constant, None for any other."""
    operator = node.operator
    if isinstance(left, Literal) and operator in _ORDERINGS:
        operator, left, right = _MIRRORED[operator], right, left
    if isinstance(right, Literal):
        attribute = _read_as(int if operator in _ORDERINGS else type(right.value), left)
        if attribute is None:
            return None
        if operator in _ORDERINGS:
            number = cast(right.value, int)
            return FAILS if number.error else _ordered(attribute, operator, int(number.value))
        return _equals(attribute, right.value) if operator == "equal" else None
    if operator == "equal" and isinstance(left, Literal) and isinstance(right, Attribute):
        return _named_by(left.value, attribute_of(right), residual(node))
    return None


def _read_as(kind: type, node: Expression) -> ast.Attribute | None:
    """The attribute that an expression is once it is cast: `INT(a)` is `a` where an integer is wanted."""
    if isinstance(node, Call) and _CASTS.get(node.function) is kind:
        node = node.arguments[0]
    return attribute_of(node) if isinstance(node, Attribute) else None


def _equals(attribute: ast.Attribute, value: Primitive) -> Sides:
    if isinstance(value, bool):
        return _flag(attribute, value)
    if isinstance(value, str):
        return Sides.read(
            lambda: any_of(*readings(attribute, value)),
            lambda: any_of(
                plain(attribute, compare(attribute, "<>", value), of_string=True),
                asked(attribute, compare(call("string", attribute), "<>", value)),
            ),
            lambda: present(attribute),
        )
    return Sides.read(
        lambda: _equals_integer(attribute, value),
        lambda: asked(attribute, compare(call("int", attribute), "<>", value), "int"),
        lambda: settled(attribute, "int"),
    )


def _equals_integer(attribute: ast.Attribute, value: int) -> Piece:
    # Strings such as '+05': the digits must end them.
    ending = ("-%" if value < 0 else "%") + str(abs(value))
    spelt = asked(attribute, compare(call("int", attribute), "=", value), "int")
    flags = [equal(attribute, flag) for flag in (False, True) if int(flag) == value]
    return any_of(equal(attribute, value), *flags, all_of(matches(attribute, ending), spelt))


def _ordered(attribute: ast.Attribute, operator: str, number: int) -> Sides:
    return Sides.read(
        lambda: _in_order(attribute, operator, number),
        lambda: _in_order(attribute, _OPPOSITE[operator], number),
        lambda: settled(attribute, "int"),
    )


def _in_order(attribute: ast.Attribute, operator: str, number: int) -> Piece:
    symbol = _ORDERINGS[operator]
    possible = any_of(
        plain(attribute, compare(attribute, symbol, number)),
        *(equal(attribute, flag) for flag in (False, True) if _ARITHMETIC[operator](int(flag), number)),
        all_of(
            plain(attribute, compare(attribute, ">=", _LOWEST_INTEGER), of_string=True),
            plain(attribute, compare(attribute, "<", _ABOVE_INTEGERS), of_string=True),
        ),
    )
    return all_of(possible, asked(attribute, compare(call("int", attribute), symbol, number), "int"))


def _named_by(value: Primitive, attribute: ast.Attribute, whole: Sides) -> Sides:
    """`constant = attribute`: here the attribute's own kind says what the constant is cast to."""
    text = str(cast(value, str).value)
    found = [equal(attribute, text), *foreign_readings(attribute, [text])]
    for kind in (int, bool):
        other = cast(value, kind)
        found += [] if other.error else [equal(attribute, other.value)]
    return Sides.known(any_of(*found), whole.false, whole.near_true)


# ---- LIKE and IN


def _like(node: Like) -> Sides:
    pattern, attribute = node.pattern, _read_as(str, node.operand)
    if attribute is None:
        value = computed(node.operand)
        if isinstance(value, ast.Literal) or kind_of(node.operand) is not str:
            value = ast.Call("cesql_string", (value,), node.span)
        return _tested(node, value, like(value, pattern), like(value, pattern, negated=True))
    return Sides.read(
        lambda: any_of(matches(attribute, pattern), *other_matches(attribute, pattern)),
        lambda: any_of(
            matches(attribute, pattern, negated=True),
            asked(attribute, like(call("string", attribute), pattern, negated=True)),
        ),
        lambda: present(attribute),
    )


class _Listing:
    """IN a list of constants: the attribute's own kind says what all of them are cast to."""

    def __init__(self, attribute: ast.Attribute, values: list[Primitive]) -> None:
        self.attribute = attribute
        self.texts = [str(cast(value, str).value) for value in values]
        # None when a single value cannot be cast: then the whole list fails for attributes of that kind.
        self.numbers = _cast_all(values, int)
        self.flags = _cast_all(values, bool)

    def true(self) -> Piece:
        found = [_in_list(self.attribute, self.texts), *foreign_readings(self.attribute, self.texts)]
        if self.numbers is not None:
            found.append(_in_list(self.attribute, self.numbers))
        if self.flags is not None:
            found += [equal(self.attribute, flag) for flag in (False, True) if flag in self.flags]
        return any_of(*found)

    def false(self) -> Piece:
        unlisted = asked(self.attribute, listed(call("string", self.attribute), self.texts, negated=True))
        found = [
            _in_list(self.attribute, self.texts, negated=True),
            all_of(self.of_kind("string"), unlisted),
        ]
        if self.numbers is not None:
            found.append(
                all_of(self.of_kind("integer"), _in_list(self.attribute, self.numbers, negated=True))
            )
        if self.flags is not None:
            found += [equal(self.attribute, flag) for flag in (False, True) if flag not in self.flags]
        return any_of(*found)

    def readable(self) -> Piece:
        if self.numbers is not None and self.flags is not None:
            return present(self.attribute)
        others = [self.of_kind("string")]
        others += [self.of_kind("integer")] if self.numbers is not None else []
        others += [self.of_kind("boolean")] if self.flags is not None else []
        return any_of(a_string(self.attribute), *others)

    def of_kind(self, name: str) -> Piece:
        return asked(self.attribute, compare(call("type", self.attribute), "=", name))


def _member(attribute: ast.Attribute, values: list[Primitive]) -> Sides:
    listing = _Listing(attribute, values)
    return Sides.read(listing.true, listing.false, listing.readable)


def _cast_all(values: list[Primitive], kind: type) -> list[Primitive] | None:
    found = [cast(value, kind) for value in values]
    return None if any(result.error for result in found) else [result.value for result in found]


def _in_list(attribute: ast.Attribute, values: Sequence[Primitive], negated: bool = False) -> Piece:
    if len(set(values)) == 1 and not negated:
        return equal(attribute, values[0])
    return plain(attribute, listed(attribute, values, negated), of_string=isinstance(values[0], str))
