from __future__ import annotations

import time
from typing import Any

import pytest

from siftmesh.errors import LimitExceeded, SubscriptionError, SyntaxError
from siftmesh.language.dialects.document import Document, Path, read_document
from siftmesh.language.limits import DEFAULT, Limits

TEXT = ' { "a" : [ 1 , {"b\\u0021": "x"} ],\n "c":  null } '


def under_marker(document: Document, path: Path, key: bool = False) -> str:
    text, span = document.place(path, key)
    return text[slice(*span)]


@pytest.mark.parametrize(
    ("path", "value", "key"),
    [
        ((), TEXT.strip(), None),
        (("a",), '[ 1 , {"b\\u0021": "x"} ]', '"a"'),
        (("a", 0), "1", None),
        (("a", 1), '{"b\\u0021": "x"}', None),
        (("a", 1, "b!"), '"x"', '"b\\u0021"'),
        (("c",), "null", '"c"'),
    ],
)
def test_any_place_is_found_in_the_text(path: Path, value: str, key: str | None) -> None:
    document = read_document(TEXT, DEFAULT)
    assert under_marker(document, path) == value
    if key is not None:
        assert under_marker(document, path, key=True) == key


def test_a_decoded_document_is_shown_as_compact_text() -> None:
    document = read_document({"a": ["é", {"b": 1.5}]}, DEFAULT)
    assert document.place(("a", 1, "b"))[0] == '{"a": ["é", {"b": 1.5}]}'
    assert under_marker(document, ("a", 1, "b")) == "1.5"


def test_an_error_carries_its_facts() -> None:
    with pytest.raises(LimitExceeded) as caught:
        read_document("[1, 2]", DEFAULT).refuse((1,), "no", "yes", error=LimitExceeded, limit=7)
    error = caught.value
    assert (error.what, error.expected, error.limit, error.source, error.span) == (
        "no",
        "yes",
        7,
        "[1, 2]",
        (4, 5),
    )


def test_a_pattern_that_is_too_complex_is_shown() -> None:
    document = read_document(["a%b"], DEFAULT)
    document.check_pattern("a%b", (0,), DEFAULT)
    with pytest.raises(LimitExceeded) as caught:
        document.check_pattern("a%b", (0,), Limits(wildcards=0))
    assert caught.value.source == '["a%b"]'


@pytest.mark.parametrize(
    ("source", "what"),
    [
        ("[1,]", "not JSON"),
        ("", "not JSON"),
        ('{"a": 1, "a": 2}', "twice"),
        ("[NaN]", "NaN"),
        ("[-Infinity]", "Infinity"),
        ("[1e999]", "too large"),
        ("[9223372036854775808]", "64 bits"),
        ("9" * 5000, "JSON"),
        ('"\\ud800"', "surrogate"),
        ('{"\\ud800": 1}', "surrogate"),
        ({1: 2}, "no string"),
        ({"a": {1, 2}}, "set is no JSON"),
        ((1, 2), "tuple is no JSON"),
        (b"{}", "bytes is no JSON"),
        (float("nan"), "not finite"),
        (2**63, "64 bits"),
    ],
)
def test_what_is_no_json_is_refused(source: Any, what: str) -> None:
    with pytest.raises(SyntaxError, match=what):
        read_document(source, DEFAULT)


def test_a_key_that_stands_twice_is_found_in_one_pass() -> None:
    keys = [f"k{n}" for n in range(80_000)]
    text = "{" + ",".join(f'"{key}":1' for key in [*keys, keys[-1]]) + "}"
    began = time.process_time()
    with pytest.raises(SyntaxError, match="the key 'k79999' stands twice in one object"):
        read_document(text, DEFAULT)
    # It takes a tenth of a second; to count each key among all the others takes most of a minute.
    assert time.process_time() - began < 5.0


def nested(depth: int) -> Any:
    thing: Any = 1
    for _ in range(depth):
        thing = [thing]
    return thing


@pytest.mark.parametrize(
    ("source", "limits"),
    [
        ("[" * 200_000, Limits()),
        ("[" * 5_000 + "]" * 5_000, Limits()),
        (nested(101), Limits()),
        ([[1], [2]], Limits(nodes=2)),
        ({"a": 1, "b": 2}, Limits(nodes=2)),
        ([1, 2, 3], Limits(items=2)),
        (["abc", "def"], Limits(text=5)),
        ({"abcdef": 1}, Limits(text=5)),
        ("[1, 2, 3]", Limits(text=8)),
    ],
)
def test_limits_are_kept(source: Any, limits: Limits) -> None:
    with pytest.raises(LimitExceeded) as caught:
        read_document(source, limits)
    assert caught.value.limit is not None


def test_what_just_fits_is_taken() -> None:
    assert read_document(nested(100), DEFAULT).root == nested(100)
    assert read_document([1, 2], Limits(items=2, nodes=1, text=2)).root == [1, 2]


def test_an_endless_document_is_refused() -> None:
    endless: list[Any] = []
    endless.append(endless)
    with pytest.raises(SubscriptionError):
        read_document(endless, DEFAULT)
