from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address
from typing import Any

import pytest

from siftmesh.model.functions.eventbridge import EVENTBRIDGE, read_address, read_block
from siftmesh.model.values import OPAQUE, Timestamp

APPLY = {function.name: function.apply for function in EVENTBRIDGE}


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("10.0.0.7", IPv4Address("10.0.0.7")),
        ("010.0.0.007", IPv4Address("10.0.0.7")),
        ("::1", IPv6Address("::1")),
        ("2001:DB8::a", IPv6Address("2001:db8::a")),
        ("::ffff:a00:7", IPv4Address("10.0.0.7")),
        *(
            (text, None)
            for text in ("", ":", "10.0.0", "10.0.0.256", "10.0.0.7 ", "::ffff:10.0.0.7", "fe80::1%eth0")
        ),
        *((text, None) for text in ("1:2", "host", "१०.0.0.7", "0" * 100 + ":", "10.0.0.0007", "10.0.0.7\n")),
    ],
)
def test_addresses(text: str, address: Any) -> None:
    assert read_address(text) == address


@pytest.mark.parametrize(
    ("text", "block"),
    [
        ("10.0.0.7/24", (4, 0x0A000000, 0x0A0000FF)),
        ("10.0.0.7/31", (4, 0x0A000006, 0x0A000007)),
        ("0.0.0.0/0", (4, 0, 2**32 - 1)),
        ("::1/127", (6, 0, 1)),
        *(
            (text, None)
            for text in ("10.0.0.7/32", "::1/128", "10.0.0.7/33", "10.0.0.7", "10.0.0.7/", "x/8", "")
        ),
        *(
            (text, None)
            for text in ("10.0.0.7/-1", "10.0.0.7/ 8", "10.0.0.7/8/8", "10.0.0.7/٨", "/8", "10.0.0.7/8\n")
        ),
    ],
)
def test_blocks(text: str, block: Any) -> None:
    assert read_block(text) == block


@pytest.mark.parametrize(
    ("name", "arguments", "result"),
    [
        ("in_cidr", ("10.0.0.7", "10.0.0.0/24"), True),
        ("in_cidr", ("10.0.1.7", "10.0.0.0/24"), False),
        ("in_cidr", ("::7", "0.0.0.0/0"), False),
        ("in_cidr", (("x", 5, "10.0.0.7"), "10.0.0.0/24"), True),
        ("in_cidr", (("x", 5), "10.0.0.0/24"), False),
        ("in_cidr", (5, "10.0.0.0/24"), False),
        ("in_cidr", (None, "10.0.0.0/24"), False),
        ("in_cidr", ("10.0.0.7", "no block"), None),
        ("in_cidr", ("10.0.0.7", 5), None),
        ("leaf", (None,), True),
        ("leaf", ("",), True),
        ("leaf", ((None,),), True),
        ("leaf", ((),), False),
        ("leaf", (OPAQUE,), False),
        ("any_null", ((1, None),), True),
        ("any_null", ((1,),), False),
        ("any_null", (None,), None),
        ("any_other", (("x", "y"), "x"), True),
        ("any_other", (("x", "x"), "x"), False),
        ("any_other", ((1, 1.0), 1), False),
        ("any_other", ((True,), 1), True),
        ("any_other", ((None, Timestamp(0)), "x"), True),
        ("any_other", ((), "x"), False),
        ("any_other", ("y", "x"), None),
        ("any_like", (("ab", 5), "a%"), True),
        ("any_like", (("ab", 5), "x%", "%b"), True),
        ("any_like", (("AB", None), "a%"), False),
        ("any_like", ((r"a%",), r"a\%"), True),
        ("any_like", (("ab",), "ab\\"), False),
        ("any_like", (("ab",), 5), False),
        ("any_like", ("ab", "a%"), None),
        ("any_ilike", (("AB",), "a%"), True),
        ("any_ilike", (("b",), "a%"), False),
        ("any_unlike", (("ab",), "a%"), False),
        ("any_unlike", (("ab", 5), "a%"), True),
        ("any_unlike", (("ab", "b"), "a%", "b"), False),
        ("any_unilike", (("AB",), "a%"), False),
        ("any_unilike", (("AB", "c"), "a%"), True),
    ],
)
def test_functions(name: str, arguments: tuple[Any, ...], result: Any) -> None:
    assert APPLY[f"eb_{name}"](*arguments) is result
