"""JMS selectors as small trees that are evaluated straight from the specification, and written as text.

A tree is a tuple whose first item names it:

    ("name", word) ("string", text) ("long", n) ("double", x) ("bool", b)
    ("+ - * /", left, right) ("negative", value) ("positive", value)
    ("= <> < <= > >=", left, right) ("between", value, low, high) ("not between", ...)
    ("in", word, texts) ("not in", ...) ("like", word, pattern, escape) ("not like", ...)
    ("is null", word) ("is not null", word) ("not", c) ("and", c, c) ("or", c, c)

A message maps names to bool, int (a long), float (a double), str, None, or anything else, which is no
type of JMS and like nothing. Arithmetic with what is no number is MISFIT.
"""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from typing import Any

import numpy as np

__all__ = ["evaluate", "text"]

MISFIT = object()
TIGHTNESS = {"or": 1, "and": 2, "not": 3, "+": 5, "-": 5, "*": 6, "/": 6, "negative": 7, "positive": 7}
ARITHMETIC = ("+", "-", "*", "/")
COMPARISONS = ("=", "<>", "<", "<=", ">", ">=")


# ---- meaning


def evaluate(tree: Any, message: Mapping[str, Any]) -> bool | None:
    """True, false, or None for unknown."""
    match tree:
        case ("name", word):
            value = message.get(word)
            return None if value is None else value is True
        case ("bool", truth):
            return bool(truth)
        case ("not", operand):
            truth = evaluate(operand, message)
            return None if truth is None else not truth
        case ("and", left, right):
            both = {evaluate(left, message), evaluate(right, message)}
            return False if False in both else None if None in both else True
        case ("or", left, right):
            both = {evaluate(left, message), evaluate(right, message)}
            return True if True in both else None if None in both else False
        case ("is null", word):
            return message.get(word) is None
        case ("is not null", word):
            return message.get(word) is not None
        case ("between", operand, low, high):
            return evaluate(("and", (">=", operand, low), ("<=", operand, high)), message)
        case ("not between", operand, low, high):
            return evaluate(("or", ("<", operand, low), (">", operand, high)), message)
        case ("in", word, texts):
            value = message.get(word)
            return None if value is None else isinstance(value, str) and value in texts
        case ("like", word, pattern, escape):
            value = message.get(word)
            return None if value is None else isinstance(value, str) and fits(value, pattern, escape)
        case ("not in" | "not like", *rest):
            return evaluate(("not", (tree[0].removeprefix("not "), *rest)), message)
        case (operator, left, right) if operator in COMPARISONS:
            return compare(operator, value_of(left, message), value_of(right, message))
    raise AssertionError(tree)


def value_of(tree: Any, message: Mapping[str, Any]) -> Any:
    match tree:
        case ("name", word):
            return message.get(word)
        case ("string" | "long" | "double" | "bool", constant):
            return constant
        case ("positive", operand):
            value = value_of(operand, message)
            return value if value is None or is_number(value) else MISFIT
        case ("negative", operand):
            value = value_of(operand, message)
            if type(value) is float:
                return -value
            return arithmetic("-", 0, value)
        case (operator, left, right):
            return arithmetic(operator, value_of(left, message), value_of(right, message))
    raise AssertionError(tree)


def is_number(value: Any) -> bool:
    return type(value) in (int, float)


def arithmetic(operator: str, left: Any, right: Any) -> Any:
    if left is None or right is None:
        return None
    if not (is_number(left) and is_number(right)):
        return MISFIT
    if type(left) is int and type(right) is int:
        if operator == "/":
            if right == 0:
                return None
            rest = abs(left) % abs(right) * (-1 if left < 0 else 1)
            return ctypes.c_int64((left - rest) // right).value
        exact = {"+": left + right, "-": left - right, "*": left * right}[operator]
        return ctypes.c_int64(exact).value
    compute = {"+": np.add, "-": np.subtract, "*": np.multiply, "/": np.divide}[operator]
    with np.errstate(all="ignore"):
        result = float(compute(np.float64(left), np.float64(right)))
    return None if np.isnan(result) else result


def compare(operator: str, left: Any, right: Any) -> bool | None:
    if left is None or right is None:
        return None
    if is_number(left) and is_number(right):
        if float in (type(left), type(right)):
            left, right = float(left), float(right)
    elif not any(type(left) is type(right) is kind for kind in (str, bool)) or operator not in ("=", "<>"):
        return False
    below, equal = operator.startswith("<"), operator.endswith("=")
    if operator == "<>":
        return bool(left != right)
    return bool(equal if left == right else below == (left < right) and operator != "=")


def fits(word: str, pattern: str, escape: str | None) -> bool:
    """LIKE, by trying everything a wildcard may stand for."""
    if pattern == "":
        return word == ""
    first, rest = pattern[0], pattern[1:]
    if first == escape:
        return word[:1] == rest[0] and fits(word[1:], rest[1:], escape)
    if first == "%":
        return any(fits(word[skipped:], rest, escape) for skipped in range(len(word) + 1))
    return word != "" and (first in ("_", word[0])) and fits(word[1:], rest, escape)


# ---- text


def text(tree: Any) -> str:
    """The selector, with parentheses only where they are needed."""
    match tree:
        case ("name", word):
            return str(word)
        case ("string", constant):
            return "'" + constant.replace("'", "''") + "'"
        case ("bool", truth):
            return "TRUE" if truth else "FALSE"
        case ("long", number):
            return str(number)
        case ("double", number):
            return repr(number)
        case ("not", operand):
            return f"NOT {below(operand, 3)}"
        case ("negative", operand):
            return f"- {below(operand, 7)}"
        case ("positive", operand):
            return f"+ {below(operand, 7)}"
        case ("and" | "or" as word, left, right):
            return f"{below(left, TIGHTNESS[word])} {word.upper()} {below(right, TIGHTNESS[word])}"
        case (operator, left, right) if operator in ARITHMETIC:
            tightness = TIGHTNESS[operator]
            return f"{below(left, tightness)} {operator} {below(right, tightness + 1)}"
        case (operator, left, right) if operator in COMPARISONS:
            return f"{below(left, 5)} {operator} {below(right, 5)}"
        case ("between" | "not between" as word, operand, low, high):
            return f"{below(operand, 5)} {word.upper()} {below(low, 5)} AND {below(high, 5)}"
        case ("in" | "not in" as word, name, texts):
            return f"{name} {word.upper()} ({', '.join(text(('string', item)) for item in texts)})"
        case ("like" | "not like" as word, name, pattern, escape):
            tail = "" if escape is None else f" ESCAPE {text(('string', escape))}"
            return f"{name} {word.upper()} {text(('string', pattern))}{tail}"
        case ("is null" | "is not null" as word, name):
            return f"{name} {word.upper()}"
    raise AssertionError(tree)


def below(tree: Any, tightness: int) -> str:
    """A child, in parentheses if it binds less tightly than its place asks; comparisons bind as 4."""
    own = TIGHTNESS.get(tree[0], 8 if tree[0] in ("name", "string", "bool", "long", "double") else 4)
    return text(tree) if own >= tightness else f"({text(tree)})"
