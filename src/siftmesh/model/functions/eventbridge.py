"""Tests of EventBridge patterns that are no comparison: CIDR blocks, leaves, and any element of an array.

`eb_any_...` ask arrays only: true when some element passes, false when none does, null for what is no array.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address

from siftmesh.model.functions.registry import Function
from siftmesh.model.pattern import Pattern, canonical, compile_pattern
from siftmesh.model.values import OPAQUE, Kind, Value, kind_of

__all__ = ["EVENTBRIDGE", "read_address", "read_block"]

_V4 = re.compile(r"[0-9]{1,3}(?:\.[0-9]{1,3}){3}\Z")
_V6 = re.compile(r"[0-9a-fA-F:]*:[0-9a-fA-F:]*\Z")
_LONGEST_ADDRESS = 45


def read_address(text: str) -> IPv4Address | IPv6Address | None:
    """An IP address: dotted decimal, or hexadecimal groups; IPv4 written as IPv6 is the IPv4 address."""
    if len(text) > _LONGEST_ADDRESS:
        return None
    try:
        if _V4.match(text):
            return IPv4Address(".".join(str(int(part)) for part in text.split(".")))  # 010 is ten
        if _V6.match(text):
            address = IPv6Address(text)
            return address.ipv4_mapped or address
    except ValueError:
        return None
    return None


@lru_cache(maxsize=4096)
def read_block(text: str) -> tuple[int, int, int] | None:
    """A CIDR block as its IP version, its first and its last address; None if it is none.

    The prefix has to leave at least one bit free: a single address is written as itself.
    """
    start, slash, bits = text.partition("/")
    address = read_address(start)
    if address is None or not slash or re.fullmatch("[0-9]{1,3}", bits) is None:
        return None
    free = address.max_prefixlen - int(bits)
    if free < 1:
        return None
    first = int(address) >> free << free
    return address.version, first, first + (1 << free) - 1


def _in_cidr(value: Value, block: Value) -> Value:
    """Whether a string, or some element of an array, is an address in the block."""
    bounds = read_block(block) if isinstance(block, str) else None
    if bounds is None:
        return None
    version, first, last = bounds
    for element in value if isinstance(value, tuple) else (value,):
        address = read_address(element) if isinstance(element, str) else None
        if address is not None and address.version == version and first <= int(address) <= last:
            return True
    return False


def _leaf(value: Value) -> Value:
    """Whether a value that is there can be tested: an object and an empty array hold nothing to test."""
    return value is not OPAQUE and value != ()


def _any(test: Callable[..., bool]) -> Callable[..., Value]:
    def apply(array: Value, *constants: Value) -> Value:
        if not isinstance(array, tuple):
            return None
        return any(test(element, constants) for element in array)

    return apply


@lru_cache(maxsize=4096)
def _compiled(pattern: Value, ignore_case: bool) -> Pattern | None:
    """A pattern whose escape character is the backslash; None for what is no pattern, which nothing fits."""
    if not isinstance(pattern, str):
        return None
    try:
        return compile_pattern(canonical(pattern, "\\"), ignore_case)
    except ValueError:
        return None


def _like(element: Value, patterns: tuple[Value, ...], ignore_case: bool = False) -> bool:
    if not isinstance(element, str):
        return False
    compiled = (_compiled(pattern, ignore_case) for pattern in patterns)
    return any(pattern.matches(element, ignore_case) for pattern in compiled if pattern is not None)


def _equal(element: Value, constants: tuple[Value, ...]) -> bool:
    return any(kind_of(element) is kind_of(constant) and element == constant for constant in constants)


EVENTBRIDGE: tuple[Function, ...] = (
    Function("eb_in_cidr", 2, 2, Kind.BOOL, _in_cidr),
    Function("eb_leaf", 1, 1, Kind.BOOL, _leaf),
    Function("eb_any_null", 1, 1, Kind.BOOL, _any(lambda element, _: element is None)),
    Function(
        "eb_any_other", 2, None, Kind.BOOL, _any(lambda element, constants: not _equal(element, constants))
    ),
    Function("eb_any_like", 2, None, Kind.BOOL, _any(_like)),
    Function(
        "eb_any_ilike", 2, None, Kind.BOOL, _any(lambda element, patterns: _like(element, patterns, True))
    ),
    Function(
        "eb_any_unlike", 2, None, Kind.BOOL, _any(lambda element, patterns: not _like(element, patterns))
    ),
    Function(
        "eb_any_unilike",
        2,
        None,
        Kind.BOOL,
        _any(lambda element, patterns: not _like(element, patterns, True)),
    ),
)
