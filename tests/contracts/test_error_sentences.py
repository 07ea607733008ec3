"""Every sentence that says what is wrong with a filter, pinned to the letter."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from siftmesh import errors
from siftmesh.errors import ConfigError, DamagedData, LimitExceeded, SubscriptionError
from siftmesh.filters import FilterReader
from siftmesh.language.limits import Limits
from siftmesh.logic.encode import decode_tree, encode_tree
from siftmesh.logic.profile import Profile
from siftmesh.logic.sample import Sample
from siftmesh.matching.observe import observe
from siftmesh.model.encode import decode_event
from siftmesh.model.schema import Schema

# Each case: the filter, the type of the error, and the whole of its text.
SENTENCES = r"""
price <
SyntaxError
the filter ends too early
  price <
         ^
expected an attribute, a constant, a function, NOT or an opening parenthesis

price < AND a = 1
SyntaxError
unexpected AND
  price < AND a = 1
          ^^^
expected an attribute, a constant, a function, NOT or an opening parenthesis

price < 10 title = 'x'
SyntaxError
unexpected title
  price < 10 title = 'x'
             ^^^^^
expected AND, OR or the end of the filter

(price < 10
SyntaxError
the filter ends too early
  (price < 10
             ^
expected AND, OR or a closing parenthesis

price < 10)
SyntaxError
unexpected )
  price < 10)
            ^
expected AND, OR or the end of the filter

NOT
SyntaxError
the filter ends too early
  NOT
     ^
expected an attribute, a constant, a function, NOT or an opening parenthesis

a == 1
SyntaxError
== has no meaning here
  a == 1
    ^^
expected = for equality

a && b
SyntaxError
&& has no meaning here
  a && b
    ^^
expected AND

a || b
SyntaxError
|| has no meaning here
  a || b
    ^^
expected OR (or concat(a, b) to join strings)

!a
SyntaxError
! has no meaning here
  !a
  ^
expected NOT, or <> for inequality

a = 1;
SyntaxError
; has no meaning here
  a = 1;
       ^
expected one filter, without a semicolon

`a` = 1
SyntaxError
` has no meaning here
  `a` = 1
  ^
expected double quotes around an odd attribute name, as in "odd name"

a = [1]
SyntaxError
[ has no meaning here
  a = [1]
      ^
expected parentheses around a list, as in IN (1, 2)

a = {1}
SyntaxError
{ has no meaning here
  a = {1}
      ^
expected parentheses

a = $1
SyntaxError
$ has no meaning here
  a = $1
      ^

a = 1 -- x
SyntaxError
-- has no meaning here
  a = 1 -- x
        ^^
expected no comments: the language has none (for a double minus, write a space between)

a = 1 /* x */
SyntaxError
/* has no meaning here
  a = 1 /* x */
        ^^
expected no comments: the language has none

a = 'x
SyntaxError
a string is not closed
  a = 'x
      ^
expected a closing '

"a = 1
SyntaxError
a quoted name is not closed
  "a = 1
  ^
expected a closing "

a = NULL
SyntaxError
comparing with NULL is never true
  a = NULL
      ^^^^
expected IS NULL or IS NOT NULL

a IS 5
SyntaxError
unexpected 5
  a IS 5
       ^
expected NULL or NOT NULL

a IS NOT
SyntaxError
the filter ends too early
  a IS NOT
          ^
expected NULL

a NOT 5
SyntaxError
unexpected 5
  a NOT 5
        ^
expected BETWEEN, IN, LIKE, ILIKE, CONTAINS or OVERLAPS

a IN 5
SyntaxError
unexpected 5
  a IN 5
       ^
expected a list in parentheses

a IN ()
SyntaxError
unexpected )
  a IN ()
        ^
expected a constant

a IN (1,)
SyntaxError
unexpected )
  a IN (1,)
          ^
expected a constant

a IN (b)
SyntaxError
unexpected b
  a IN (b)
        ^
expected a constant

a BETWEEN 1
SyntaxError
the filter ends too early
  a BETWEEN 1
             ^
expected AND and the upper bound

a BETWEEN 1 OR 2
SyntaxError
unexpected OR
  a BETWEEN 1 OR 2
              ^^
expected AND and the upper bound

a LIKE b
SyntaxError
unexpected b
  a LIKE b
         ^
expected a constant

a LIKE 5
TypeMismatch
a pattern is a string
  a LIKE 5
         ^
expected a string

a LIKE 'x!' ESCAPE '!'
SyntaxError
the pattern ends in its escape character
  a LIKE 'x!' ESCAPE '!'
         ^^^^
expected a character after the escape

a LIKE 'x' ESCAPE 'ab'
SyntaxError
unexpected 'ab'
  a LIKE 'x' ESCAPE 'ab'
                    ^^^^
expected a string of one character after ESCAPE

EXISTS(a = 1)
SyntaxError
unexpected a = 1
  EXISTS(a = 1)
         ^^^^^
expected an attribute

a + 1 CONTAINS 5
SyntaxError
CONTAINS asks an attribute
  a + 1 CONTAINS 5
  ^^^^^
expected an attribute

a = 1 = 2
SyntaxError
a condition cannot be compared with =
  a = 1 = 2
  ^^^^^^^
expected AND or OR between conditions

(a = 1) + 2 = 3
SyntaxError
a value is needed here, not a condition
  (a = 1) + 2 = 3
   ^^^^^
expected an attribute, a constant, a function or arithmetic

a = 1 AND 5
TypeMismatch
a condition is needed here, not a constant
  a = 1 AND 5
            ^
expected a comparison such as price < 10

'x'
TypeMismatch
a condition is needed here, not a constant
  'x'
  ^^^
expected a comparison such as price < 10

a + 1
TypeMismatch
a condition is needed here, not arithmetic
  a + 1
  ^^^^^
expected a comparison such as price < 10

lower(a, b) = 'x'
SyntaxError
lower was given 2 arguments
  lower(a, b) = 'x'
  ^^^^^^^^^^^
expected 1 argument

lower() = 'x'
SyntaxError
lower was given no arguments
  lower() = 'x'
  ^^^^^^^
expected 1 argument

lower(a,) = 'x'
SyntaxError
unexpected )
  lower(a,) = 'x'
          ^
expected an attribute, a constant, a function, NOT or an opening parenthesis

lowr(a) = 'x'
SyntaxError
there is no function lowr
  lowr(a) = 'x'
  ^^^^
expected lower perhaps

zzz(a) = 1
SyntaxError
there is no function zzz
  zzz(a) = 1
  ^^^
expected one of abs, bool, coalesce, concat, float, int, kind, length, lower, string, trim, upper

a = 5x
SyntaxError
x cannot follow a number
  a = 5x
      ^^
expected a duration such as 90s, 5m, 2h, 1d or 1w

a = 1e999
SyntaxError
the number is too large
  a = 1e999
      ^^^^^
expected a 64-bit integer or a double

a = 9223372036854775808
SyntaxError
the number is too large
  a = 9223372036854775808
      ^^^^^^^^^^^^^^^^^^^
expected a 64-bit integer or a double

a = TIMESTAMP 'noon'
SyntaxError
'noon' is not a timestamp
  a = TIMESTAMP 'noon'
                ^^^^^^
expected RFC 3339 with a time zone, such as '2026-11-18T09:30:00Z', or a date

a.
SyntaxError
the filter ends too early
  a.
    ^
expected the next step of the attribute's path

SOME (xs: x = 1)
SyntaxError
unexpected :
  SOME (xs: x = 1)
          ^
expected AS and a word for the element

SOME (xs AS x, ys AS x: x = 1)
SyntaxError
x names two arrays
  SOME (xs AS x, ys AS x: x = 1)
                 ^^^^^^^
expected another word

SOME (xs AS x: z = 1)
SyntaxError
z is no element of this SOME
  SOME (xs AS x: z = 1)
                 ^
expected x

SOME (xs AS x: x)
SyntaxError
unexpected )
  SOME (xs AS x: x)
                  ^
expected a comparison with a constant

SOME (xs AS x: x = 1 OR x = 2)
SyntaxError
unexpected OR
  SOME (xs AS x: x = 1 OR x = 2)
                       ^^
expected AND or a closing parenthesis (SOME takes a conjunction of comparisons)

SOME (xs AS x.y: x = 1)
SyntaxError
unexpected x.y
  SOME (xs AS x.y: x = 1)
              ^^^
expected a word for the element

a = :p
ParameterError
the parameter :p has no value
  a = :p
      ^^
expected constants, or a template with its parameters
"""

SCHEMA = Schema.of(
    {
        "price": "float",
        "title": "string",
        "used": "bool",
        "when": "timestamp",
        "tags": "array<string>",
        "sizes": "array<int>",
    }
)
SENTENCES_WITH_A_SCHEMA = r"""
prise < 5
UnknownAttribute
there is no attribute prise
  prise < 5
  ^^^^^
expected price perhaps

zzz = 1
UnknownAttribute
there is no attribute zzz
  zzz = 1
  ^^^
expected one of price, sizes, tags, title, used, when

price = 'x'
TypeMismatch
a number never compares with a string
  price = 'x'
  ^^^^^^^^^^^
expected values of one type

price IN (1, 'x')
TypeMismatch
a number never compares with a string
  price IN (1, 'x')
               ^^^
expected values of one type

price BETWEEN 1 AND 'x'
TypeMismatch
a number never compares with a string
  price BETWEEN 1 AND 'x'
                      ^^^
expected values of one type

price LIKE 'x%'
TypeMismatch
a number never compares with a string
  price LIKE 'x%'
  ^^^^^
expected values of one type

price
TypeMismatch
a number never compares with a bool
  price
  ^^^^^
expected values of one type

used < TRUE
TypeMismatch
a bool is neither less nor greater than another
  used < TRUE
  ^^^^^^^^^^^
expected = or <>

used BETWEEN FALSE AND TRUE
TypeMismatch
a bool is neither less nor greater than another
  used BETWEEN FALSE AND TRUE
               ^^^^^
expected = or <>

when > '2026-01-01'
TypeMismatch
a timestamp never compares with a string
  when > '2026-01-01'
  ^^^^^^^^^^^^^^^^^^^
expected the word TIMESTAMP before the text of a moment

tags = 'x'
TypeMismatch
an array never compares with a string
  tags = 'x'
  ^^^^^^^^^^
expected CONTAINS, OVERLAPS or SOME for an array

tags CONTAINS 5
TypeMismatch
a string never compares with a number
  tags CONTAINS 5
                ^
expected values of one type

sizes OVERLAPS (1, 'x')
TypeMismatch
a number never compares with a string
  sizes OVERLAPS (1, 'x')
                     ^^^
expected values of one type

title CONTAINS 'x'
TypeMismatch
title is a string, not an array
  title CONTAINS 'x'
  ^^^^^
expected an array

SOME (sizes AS s: s = 'x')
TypeMismatch
a number never compares with a string
  SOME (sizes AS s: s = 'x')
                        ^^^
expected values of one type

SOME (title AS t: t = 'x')
TypeMismatch
title is a string, not an array
  SOME (title AS t: t = 'x')
        ^^^^^
expected an array

title + 1 > 2
TypeMismatch
a string has no arithmetic
  title + 1 > 2
  ^^^^^
expected a number

-title = 1
TypeMismatch
a string has no arithmetic
  -title = 1
   ^^^^^
expected a number

length(title) = 'x'
TypeMismatch
a number never compares with a string
  length(title) = 'x'
  ^^^^^^^^^^^^^^^^^^^
expected values of one type

tags = tags
TypeMismatch
an array never compares with an array
  tags = tags
  ^^^^^^^^^^^
expected CONTAINS, OVERLAPS or SOME for an array

price < title
TypeMismatch
a number never compares with a string
  price < title
  ^^^^^^^^^^^^^
expected values of one type

EXISTS(prise)
UnknownAttribute
there is no attribute prise
  EXISTS(prise)
         ^^^^^
expected price perhaps

SOME (tagz AS t: t = 'x')
UnknownAttribute
there is no attribute tagz
  SOME (tagz AS t: t = 'x')
        ^^^^
expected tags perhaps
"""

BEYOND_LIMITS = [
    (Limits(text=5), "a = 12", 5, "the filter has 6 characters, the limit is 5"),
    (Limits(nodes=7), "a = 1 AND b = 2 AND c = 3", 7, "the filter has 10 nodes, the limit is 7"),
    (Limits(depth=1), "((a = 1))", 1, "the filter is nested deeper than 1\n  ((a = 1))\n   ^"),
    (Limits(depth=1), "a + 1 + 2 = 3", 1, "the filter is nested deeper than 1\n  a + 1 + 2 = 3\n        ^"),
    (Limits(depth=10**6), "NOT " * 101 + "a", 100, None),
    (
        Limits(items=2),
        "a IN (1, 2, 3)",
        2,
        "the list has more than 2 items\n  a IN (1, 2, 3)\n               ^",
    ),
    (Limits(items=2), "a OVERLAPS (1, 2, 3)", 2, None),
    (
        Limits(pattern=3),
        "a LIKE 'abcd'",
        3,
        "the pattern has 4 characters, the limit is 3\n  a LIKE 'abcd'\n         ^^^^^^",
    ),
    (
        Limits(wildcards=1),
        "a LIKE '%a%'",
        1,
        "the pattern has 2 wildcards, the limit is 1\n  a LIKE '%a%'\n         ^^^^^",
    ),
]

WRITTEN_OTHERWISE = [
    (
        "",
        "the filter ends too early\n  \n  ^\n"
        "expected an attribute, a constant, a function, NOT or an opening parenthesis",
    ),
    ("a = '\ud800'", "the filter holds a lone surrogate\n  a = ' '\n       ^"),
    (
        "a = 1\nAND b ==\n2",
        "== has no meaning here\n  line 2, column 7:\n  AND b ==\n        ^^\nexpected = for equality",
    ),
    (
        "a = 1 '" + "x" * 100 + "\n'",
        f"unexpected '{'x' * 71}...\n"
        "  line 1, column 7:\n"
        f"  a = 1 '{'x' * 65}...\n"
        f"        {'^' * 66}\n"
        "expected AND, OR or the end of the filter",
    ),
]


def cases(sentences: str) -> list[tuple[str, str, str]]:
    found = []
    for block in sentences.strip("\n").split("\n\n"):
        text, kind, sentence = block.split("\n", 2)
        found.append((text, kind, sentence))
    return found


def check(reader: FilterReader, text: str, kind: str, sentence: str) -> None:
    for _ in range(2):  # the second time the reader knows the shape
        with pytest.raises(SubscriptionError) as caught:
            reader.read(text)
        assert type(caught.value) is getattr(errors, kind)
        assert str(caught.value) == sentence


@pytest.mark.parametrize(("text", "kind", "sentence"), cases(SENTENCES))
def test_what_is_wrong_with_a_text(text: str, kind: str, sentence: str) -> None:
    check(FilterReader(), text, kind, sentence)


@pytest.mark.parametrize(("text", "sentence"), WRITTEN_OTHERWISE, ids=["empty", "surrogate", "lines", "long"])
def test_what_is_wrong_with_an_odd_text(text: str, sentence: str) -> None:
    check(FilterReader(), text, "SyntaxError", sentence)


@pytest.mark.parametrize(("text", "kind", "sentence"), cases(SENTENCES_WITH_A_SCHEMA))
def test_what_a_schema_refuses(text: str, kind: str, sentence: str) -> None:
    check(FilterReader(SCHEMA), text, kind, sentence)


@pytest.mark.parametrize(("limits", "text", "limit", "sentence"), BEYOND_LIMITS)
def test_what_is_larger_than_a_limit(limits: Limits, text: str, limit: int, sentence: str | None) -> None:
    with pytest.raises(LimitExceeded) as caught:
        FilterReader(limits=limits).read(text)
    assert caught.value.limit == limit
    assert sentence is None or str(caught.value) == sentence


def test_the_table_has_a_case_of_each_kind() -> None:
    kinds = {kind for _, kind, _ in cases(SENTENCES) + cases(SENTENCES_WITH_A_SCHEMA)}
    assert kinds == {"SyntaxError", "TypeMismatch", "ParameterError", "UnknownAttribute"}


# ---- bytes that hold nothing of ours

DAMAGED = [
    (decode_tree, b"", "these bytes are no tree: Input data was truncated"),
    (decode_tree, b"\x91\x01", "these bytes are no tree: they end too early"),
    (decode_tree, b"\x92\x02\xc0", "this tree has version 2, known is version 1"),
    (decode_tree, b"\x94\x01\x12\xa1p\xa3ten", "these bytes are no tree: 'ten' is no constant of a NUMBER"),
    (
        decode_tree,
        b"\x94\x01\x12\xa1p\xcc\x0a",
        "these bytes are no tree: they are spelled otherwise than encode_tree does",
    ),
    (decode_tree, b"\x91" * 5_000, "these bytes are no tree: they are nested too deeply"),
    (decode_event, b"\xc0", "these bytes are no event: they are no list of two"),
    (decode_event, b"\x92\x81\xa1a\xc4\x00\x90", "these bytes are no event: they hold what is no value"),
    (Profile.from_bytes, b"\xc0", "these bytes are no profile: they do not begin as one"),
    (
        Profile.from_bytes,
        Profile().to_bytes()[:-1] + b"\xc2",
        "these bytes are no profile: they were changed after it was made",
    ),
]


@pytest.mark.parametrize(("read", "data", "sentence"), DAMAGED)
def test_what_is_wrong_with_bytes(read: Callable[[bytes], object], data: bytes, sentence: str) -> None:
    with pytest.raises(DamagedData) as caught:
        read(data)
    assert str(caught.value) == sentence


def test_what_is_wrong_with_a_tree_that_is_too_large_for_bytes() -> None:
    tree = FilterReader().read("price < 10")
    with pytest.raises(LimitExceeded) as caught:
        encode_tree(tree, largest=5)
    assert (str(caught.value), caught.value.limit) == ("the tree takes 10 bytes, the limit is 5", 5)


def test_what_is_wrong_with_what_is_observed() -> None:
    with pytest.raises(ConfigError, match=r"^there are 2 keys for 1 events$"):
        observe([{"a": 1}], keys=[1, 2])
    with pytest.raises(ConfigError, match=r"^a sample of -1 events; expected a whole number, at least 0$"):
        observe([], sample=-1)
    with pytest.raises(ConfigError, match=r"^samples of 100 and of 200 bytes cannot be merged$"):
        Sample(1, 100).merge(Sample(1, 200))
