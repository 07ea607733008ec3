"""Trees to bytes and back: one spelling for each tree, compact, and safe to read from strangers.

The bytes are one flat msgpack list: the version, then the nodes from the top, each before its children. A
predicate is a code (operator and kind), its attribute and its constant; an And or Or is a code and the
number of its children. Being flat, the list cannot be nested too deeply to be read, and a reader keeps count
of depth and size. Only the spelling that `encode_tree` writes is taken, so that equal trees have equal bytes
and a digest of the bytes stands for the tree.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NoReturn

from siftmesh.errors import DamagedData, LimitExceeded
from siftmesh.logic.entailment import NULLNESS
from siftmesh.logic.tree import (
    And,
    Apply,
    Expression,
    Fixed,
    Get,
    Operator,
    Or,
    Predicate,
    Quantified,
    Residual,
    Term,
    Tree,
)
from siftmesh.model.encode import from_plain, pack, to_plain, unpack
from siftmesh.model.functions import FUNCTIONS
from siftmesh.model.functions.native import ARITHMETIC
from siftmesh.model.pattern import canonical
from siftmesh.model.values import INT_MAX, INT_MIN, Kind, Timestamp, Value

__all__ = ["DEEPEST", "LARGEST", "MOST_NODES", "decode_tree", "encode_tree"]

VERSION = 1

# Bytes of a tree: far more than a filter of a million characters takes.
LARGEST = 2**23
MOST_NODES = 2**18
# Nodes on the way from the top to the end of an expression. A filter nested as deeply as the language allows
# has about 200.
DEEPEST = 256

# Codes of predicates are not negative.
_AND, _OR, _SOME, _TESTED, _COMPARED = -1, -2, -3, -4, -5
_FIXED, _GET, _APPLY = 0, 1, 2
_KINDS = 8

_CODES = {operator * _KINDS + kind: (operator, kind) for operator in Operator for kind in Kind}

_COMPARISONS = frozenset([Operator.EQ, Operator.NE, Operator.LT, Operator.GE, Operator.LE, Operator.GT])
_ONE_CONSTANT = _COMPARISONS | {Operator.CONTAINS, Operator.NOT_CONTAINS}
_LISTS = frozenset([Operator.IN, Operator.NOT_IN, Operator.OVERLAPS, Operator.NOT_OVERLAPS])
_SOMES = frozenset([Operator.SOME, Operator.NOT_SOME])
_COMPARED_KINDS = frozenset([Kind.BOOL, Kind.NUMBER, Kind.STRING, Kind.TIMESTAMP])


def encode_tree(tree: Tree, largest: int = LARGEST) -> bytes:
    """The bytes of a tree; a `LimitExceeded` if it is larger than `decode_tree` would take."""
    tokens: list[Any] = [VERSION]
    nodes = _put(tree, tokens, DEEPEST)
    if nodes > MOST_NODES:
        raise LimitExceeded(f"the tree has {nodes} nodes, the limit is {MOST_NODES}", limit=MOST_NODES)
    data = pack(tokens)
    if len(data) > largest:
        raise LimitExceeded(f"the tree takes {len(data)} bytes, the limit is {largest}", limit=largest)
    return data


def decode_tree(data: bytes, largest: int = LARGEST) -> Tree:
    """The tree that `encode_tree` was given; a `DamagedData` for any other bytes.

    Takes time in proportion to the bytes, whatever they hold.
    """
    if len(data) > largest:
        raise DamagedData(f"these bytes are no tree: {len(data)} of them, the limit is {largest}")
    tokens = unpack(data, "tree")
    if type(tokens) is not list or not tokens or type(tokens[0]) is not int:
        _refuse("they do not begin with a version")
    if tokens[0] != VERSION:
        raise DamagedData(f"this tree has version {tokens[0]}, known is version {VERSION}")
    reader = _Reader(tokens)
    tree = reader.tree(DEEPEST)
    if reader.at != len(tokens):
        _refuse("something stands after their end")
    if pack(_tokens(tree)) != data:
        _refuse("they are spelled otherwise than encode_tree does")
    return tree


def _tokens(tree: Tree) -> list[Any]:
    tokens: list[Any] = [VERSION]
    _put(tree, tokens, DEEPEST)
    return tokens


def _refuse(why: str) -> NoReturn:
    raise DamagedData(f"these bytes are no tree: {why}")


# ---- writing: each function returns how many nodes it wrote


def _put(tree: Tree, tokens: list[Any], depth: int) -> int:
    if type(tree) is Predicate:
        _put_predicate(tree, tokens)
        return 1
    if not depth:
        raise LimitExceeded(f"the tree is nested deeper than {DEEPEST}", limit=DEEPEST)
    nodes = 1
    if isinstance(tree, (And, Or)):
        tokens += (_AND if type(tree) is And else _OR, len(tree.children))
        for child in tree.children:
            nodes += _put(child, tokens, depth - 1)
    elif isinstance(tree, Quantified):
        tokens += (_SOME, int(tree.operator), len(tree.arrays), *tree.arrays, len(tree.terms))
        for term in tree.terms:
            tokens += (term.position, term.operator * _KINDS + term.kind, _held(term.value))
    elif isinstance(tree, Residual) and tree.test is not None:
        tokens.append(_TESTED)
        nodes += _put_expression(tree.left, tokens, depth - 1)
        _put_predicate(tree.test, tokens)
    elif isinstance(tree, Residual) and tree.right is not None:
        tokens += (_COMPARED, int(tree.operator))
        nodes += _put_expression(tree.left, tokens, depth - 1)
        nodes += _put_expression(tree.right, tokens, depth - 1)
    else:
        raise TypeError(f"a {type(tree).__name__} is no tree")
    return nodes


def _put_predicate(leaf: Predicate, tokens: list[Any]) -> None:
    tokens += (leaf.operator * _KINDS + leaf.kind, leaf.attribute)
    if leaf.operator not in NULLNESS:
        tokens.append(_held(leaf.value))


def _held(value: Any) -> Any:
    """A constant in its one spelling: equal numbers are equal predicates, so a whole number is an int."""
    if type(value) is float:
        return int(value) if value.is_integer() and INT_MIN <= value <= INT_MAX else value
    return [_held(one) for one in value] if type(value) is tuple else value


def _put_expression(expression: Expression, tokens: list[Any], depth: int) -> int:
    if not depth:
        raise LimitExceeded(f"the tree is nested deeper than {DEEPEST}", limit=DEEPEST)
    if isinstance(expression, Fixed):
        tokens += (_FIXED, to_plain(expression.value))
    elif isinstance(expression, Get):
        tokens += (_GET, expression.attribute)
    else:
        tokens += (_APPLY, expression.function, len(expression.arguments))
        nodes = 1
        for argument in expression.arguments:
            nodes += _put_expression(argument, tokens, depth - 1)
        return nodes
    return 1


# ---- reading


class _Reader:
    """Takes the tokens one by one and believes none of them."""

    __slots__ = ("at", "nodes", "tokens")

    def __init__(self, tokens: list[Any]) -> None:
        self.tokens = tokens
        self.at = 1
        self.nodes = 0

    def any(self) -> Any:
        if self.at >= len(self.tokens):
            _refuse("they end too early")
        self.at += 1
        return self.tokens[self.at - 1]

    def number(self) -> int:
        found = self.any()
        if type(found) is not int:
            _refuse(f"{found!r:.40} stands for a number")
        return found

    def text(self) -> str:
        found = self.any()
        if type(found) is not str:
            _refuse(f"{found!r:.40} stands for a name")
        return found

    def count(self) -> int:
        """How many things follow: no more than there are tokens left."""
        found = self.number()
        if not 0 <= found <= len(self.tokens) - self.at:
            _refuse(f"{found} things should follow")
        return found

    def enter(self, depth: int) -> None:
        self.nodes += 1
        if self.nodes > MOST_NODES:
            _refuse(f"more than {MOST_NODES} nodes")
        if depth < 0:
            _refuse(f"nested deeper than {DEEPEST}")

    def tree(self, depth: int) -> Tree:
        self.enter(depth)
        code = self.number()
        if code >= 0:
            return self.predicate(code)
        if not depth:
            _refuse(f"nested deeper than {DEEPEST}")
        if code in (_AND, _OR):
            children = []
            for _ in range(self.count()):
                children.append(self.tree(depth - 1))  # noqa: PERF401 - a comprehension takes a frame more
            return And(tuple(children)) if code == _AND else Or(tuple(children))
        if code == _SOME:
            return self.quantified()
        if code == _TESTED:
            left = self.expression(depth - 1)
            test = self.predicate(self.number())
            if test.attribute or test.operator in (Operator.EXISTS, Operator.NOT_EXISTS):
                _refuse("an expression is tested as an attribute")
            return Residual(test.operator, left, None, test)
        if code == _COMPARED:
            operator = self.operator(self.number())
            if operator not in _COMPARISONS:
                _refuse(f"{operator.name} compares two expressions")
            left = self.expression(depth - 1)
            return Residual(operator, left, self.expression(depth - 1))
        _refuse(f"{code} is no code of a node")

    def operator(self, number: int) -> Operator:
        if not 0 <= number < len(Operator):
            _refuse(f"{number} is no operator")
        return Operator(number)

    def predicate(self, code: int) -> Predicate:
        operator, kind = self.coded(code)
        attribute = self.text()
        if operator in NULLNESS:
            if kind != Kind.NULL:
                _refuse(f"{operator.name} of a {kind.name}")
            return Predicate(attribute, operator, kind)
        if operator in _SOMES or kind not in _COMPARED_KINDS:
            _refuse(f"{operator.name} of a {kind.name}")
        value = self.any()
        if operator in _ONE_CONSTANT:
            return Predicate(attribute, operator, kind, _checked(kind, value))
        if operator in _LISTS:
            return Predicate(attribute, operator, kind, _sorted(kind, value))
        if kind != Kind.STRING or not _is_pattern(value):
            _refuse("a pattern is not in its canonical spelling")
        return Predicate(attribute, operator, kind, value)

    def coded(self, code: int) -> tuple[Operator, Kind]:
        found = _CODES.get(code)
        if found is None:
            _refuse(f"{code} is no code of a predicate")
        return found

    def quantified(self) -> Quantified:
        operator = self.operator(self.number())
        arrays = []
        for _ in range(self.count()):
            arrays.append(self.text())  # noqa: PERF401 - as the terms below
        terms = []
        for _ in range(self.count()):
            position = self.number()
            asked, kind = self.coded(self.number())
            if asked not in _COMPARISONS or kind not in _COMPARED_KINDS or not 0 <= position < len(arrays):
                _refuse("a term of SOME compares no element")
            terms.append(Term(position, asked, kind, _checked(kind, self.any())))
        if operator not in _SOMES or not arrays or not _is_sorted(arrays):
            _refuse("SOME of no sorted arrays")
        if not all(_before(one, other) for one, other in pairwise(terms)):
            _refuse("the terms of SOME are not sorted")
        return Quantified(tuple(arrays), operator, tuple(terms))

    def expression(self, depth: int) -> Expression:
        self.enter(depth - 1)
        code = self.number()
        if code == _FIXED:
            value = from_plain(self.any(), "tree")
            return Fixed(value, _exact(value))  # type: ignore[arg-type]  # no OPAQUE, or `_exact` refuses
        if code == _GET:
            return Get(self.text())
        if code != _APPLY:
            _refuse(f"{code} is no code of an expression")
        function = self.text()
        arguments = []
        for _ in range(self.count()):
            arguments.append(self.expression(depth - 1))  # noqa: PERF401 - a comprehension takes a frame more
        if not _applies(function, len(arguments)):
            _refuse(f"no function {function!r:.40} takes {len(arguments)} arguments")
        return Apply(function, tuple(arguments))


def _checked(kind: Kind, value: Any) -> Any:
    """A constant of a kind as predicates hold it (that its spelling is the one is checked of the whole)."""
    found = type(value)
    if kind == Kind.NUMBER:
        fits = (found is int and INT_MIN <= value <= INT_MAX) or (found is float and value == value)
    elif kind == Kind.TIMESTAMP:
        fits = found is int and INT_MIN <= value <= INT_MAX
    else:
        fits = found is (str if kind == Kind.STRING else bool)
    if not fits:
        _refuse(f"{value!r:.40} is no constant of a {kind.name}")
    return value


def _sorted(kind: Kind, values: Any) -> tuple[Any, ...]:
    if type(values) is not list:
        _refuse(f"{values!r:.40} is no list")
    for value in values:
        _checked(kind, value)
    if not _is_sorted(values):
        _refuse("a list of constants is not sorted")
    return tuple(values)


def _is_sorted(values: list[Any]) -> bool:
    return all(one < other for one, other in pairwise(values))


def _before(one: Term, other: Term) -> bool:
    """The order of terms, whose values need not compare when their kinds differ."""
    mine, theirs = (one.position, one.operator, one.kind), (other.position, other.operator, other.kind)
    return mine < theirs or (mine == theirs and one.value < other.value)


def _is_pattern(value: Any) -> bool:
    if type(value) is not str:
        return False
    try:
        return canonical(value, "\\") == value
    except ValueError:
        return False


def _exact(value: Value) -> str:
    """What keeps constants apart that Python holds equal, as `logic.lower` says it."""
    if type(value) is float and value == 0.0 and str(value) == "-0.0":
        return "-0.0"
    if value is None or isinstance(value, (bool, int, float, str, Timestamp, tuple)):
        return type(value).__name__
    _refuse("an expression holds what is no constant")


def _applies(function: str, arguments: int) -> bool:
    if function in ARITHMETIC:
        return arguments == 2
    if function == "negate":
        return arguments == 1
    return function in FUNCTIONS and FUNCTIONS[function].accepts(arguments)
