"""Damaged filters, from a seed: texts and JSON with pieces taken out, put in, repeated and exchanged."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Sequence
from typing import Any

__all__ = ["damaged", "damaged_json", "smallest"]

# What sits at the edges of what a reader expects, in any of the languages.
PIECES = (
    *("(", ")", "[", "]", "{", "}", "'", '"', "\\", ",", ".", ":", ";", "?", "!", "$", "#", "`", "|", "&"),
    *(
        "=",
        "==",
        "<>",
        "!=",
        "<",
        "<=",
        ">",
        ">=",
        "+",
        "-",
        "*",
        "/",
        "%",
        "_",
        "--",
        "/*",
        "''",
        '""',
        "..",
        "::",
    ),
    *(
        "0",
        "1",
        "-1",
        "9223372036854775807",
        "9223372036854775808",
        "1e309",
        "1e-400",
        ".5",
        "5.",
        "0x1F",
        "07",
    ),
    *("1.5f", "2L", "1_0", "1²", "١", "2d", "NaN", "Infinity", "9" * 400),
    *(
        " AND ",
        " OR ",
        " XOR ",
        " NOT ",
        " IN (1, 2)",
        " LIKE '%a_'",
        " ESCAPE '!'",
        " BETWEEN 1 AND 2",
        " IS NULL",
    ),
    *(
        " IS NOT NULL",
        "EXISTS ",
        "EXISTS(a)",
        " CONTAINS ",
        " OVERLAPS (",
        "SOME (a AS x: x > 1)",
        "TRUE",
        "false",
    ),
    *(
        "NULL",
        "TIMESTAMP '2024-02-29T00:00:00Z'",
        "TIMESTAMP '2024-02-30'",
        ":p",
        "lower(a)",
        "nosuch(a)",
        "ABS(",
    ),
    *(
        "coalesce(a, 1)",
        "CONCAT_WS(",
        "SUBSTRING('abc', 2)",
        "INT(",
        "null",
        "true",
        '{"exists": true}',
        "$or",
    ),
    *(" ", "\t", "\n", "\r", "\x00", "\x1a", "\u00a0", "\u2028", "\ufeff", "\ud800", "\udfff", "\U0010ffff"),
    *("é", "e\u0301", "ß", "ſ", "ı", "İ", "ﬃ", "\U0001f600", "größe", "\\u0000", "\\ud800", "\\'"),
)
SCALARS: tuple[Any, ...] = (
    *(
        None,
        True,
        False,
        0,
        -1,
        1.5,
        -0.0,
        1e308,
        float("inf"),
        float("nan"),
        2**63 - 1,
        2**63,
        -(2**63),
        10**400,
    ),
    *("", "a", "*", "**", "\\", "a\\*b", "10.0.0.0/24", "10.0.0.0/33", "::/0", "::1/129", "=", "<", ">="),
    *(
        "2024-01-01T00:00:00Z",
        "\ud800",
        "\x00",
        "ß",
        "İ",
        "%",
        "_",
        "x" * 3000,
        "*a" * 40,
        b"bytes",
        (1, 2),
        {1},
    ),
)
KEYS = (
    *(
        "exact",
        "prefix",
        "suffix",
        "all",
        "any",
        "not",
        "sql",
        "$or",
        "anything-but",
        "numeric",
        "exists",
        "cidr",
    ),
    *(
        "wildcard",
        "equals-ignore-case",
        "a",
        "b",
        "",
        "detail",
        "data",
        "odd name",
        "\ud800",
        "a.b",
        "type",
        "time",
    ),
)


def damaged(rng: random.Random, texts: Sequence[str]) -> str:
    """One of the texts, damaged in a few places; now and then it is left whole, or is nested in itself."""
    text = rng.choice(texts)
    for _ in range(rng.choice((0, 1, 1, 1, 2, 2, 3, 6))):
        start = rng.randrange(len(text) + 1)
        end = min(len(text), start + rng.choice((0, 0, 1, 1, 2, 4, 9)))
        text = text[:start] + _replacement(rng, text, texts) + text[end:]
    return text


def _replacement(rng: random.Random, text: str, texts: Sequence[str]) -> str:
    chance = rng.random()
    if chance < 0.25:
        return ""
    if chance < 0.70:
        return rng.choice(PIECES)
    if chance < 0.85:
        source = text if chance < 0.77 else rng.choice(texts)
        start = rng.randrange(len(source) + 1)
        return source[start : start + rng.randrange(1, 16)]
    if chance < 0.98:
        return chr(rng.choice((rng.randrange(0x20, 0x7F), rng.randrange(0x250), rng.randrange(0x110000))))
    if chance < 0.999:
        return rng.choice(PIECES) * rng.choice((2, 3, 20, 70))
    return rng.choice(PIECES) * rng.choice((300, 1_100, 5_000))


def damaged_json(rng: random.Random, values: Sequence[Any]) -> Any:
    """One of the values with a few parts exchanged; half of the time as text, which may be damaged too."""
    value = rng.choice(values)
    for _ in range(rng.choice((0, 1, 1, 2, 3))):
        value = _exchanged(rng, value, values)
    if rng.random() < 0.5:
        return value
    try:
        text = json.dumps(value, ensure_ascii=rng.random() < 0.5)
    except (TypeError, ValueError, RecursionError):  # what JSON cannot write: bytes, huge ints, far too deep
        return value
    return damaged(rng, (text,)) if rng.random() < 0.5 else text


def _exchanged(rng: random.Random, value: Any, values: Sequence[Any]) -> Any:
    """A copy of the value in which something changed at one place, reached by walking down from the top."""
    if isinstance(value, dict) and value and rng.random() < 0.75:
        key = rng.choice(list(value))
        changed = dict(value)
        way = rng.random()
        if way < 0.1:
            del changed[key]
        elif way < 0.25:
            changed[rng.choice(KEYS)] = changed.pop(key)
        elif way < 0.35:
            changed[rng.choice(KEYS)] = _part(rng, values)
        else:
            changed[key] = _exchanged(rng, value[key], values)
        return changed
    if isinstance(value, list) and value and rng.random() < 0.8:
        place = rng.randrange(len(value))
        way = rng.random()
        if way < 0.1:
            return value[:place] + value[place + 1 :]
        if way < 0.25:
            return [*value[:place], _part(rng, values), *value[place:]]
        return [*value[:place], _exchanged(rng, value[place], values), *value[place + 1 :]]
    return _wrapped(rng, value) if rng.random() < 0.3 else _part(rng, values)


def _wrapped(rng: random.Random, value: Any) -> Any:
    for _ in range(rng.choice((1, 1, 1, 2, 3, 60, 1_500) if rng.random() < 0.02 else (1, 1, 2))):
        value = [value] if rng.random() < 0.5 else {rng.choice(KEYS): value}
    return value


def _part(rng: random.Random, values: Sequence[Any]) -> Any:
    """A scalar, or something found somewhere below one of the values."""
    if rng.random() < 0.5:
        return rng.choice(SCALARS)
    part = rng.choice(values)
    while isinstance(part, dict | list) and part and rng.random() < 0.7:
        part = rng.choice(list(part.values()) if isinstance(part, dict) else part)
    return part


def smallest(text: str, still: Callable[[str], bool]) -> str:
    """A text as short as taking pieces out makes it, of which the same is `still` true."""
    size = max(1, len(text) // 2)
    while size:
        start = 0
        while start < len(text):
            shorter = text[:start] + text[start + size :]
            if still(shorter):
                text = shorter
            else:
                start += size
        size //= 2
    return text
