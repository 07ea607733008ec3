"""Strings of an event pattern as the language has them: wildcards as LIKE, prefixes as intervals."""

from __future__ import annotations

from siftmesh.model.pattern import ANY, escape

__all__ = ["like_pattern", "successor"]


def like_pattern(wildcard: str) -> str:
    """The LIKE pattern (of backslash escapes) for text where `*` is any characters, or ValueError."""
    parts: list[str] = []
    characters = iter(wildcard)
    for character in characters:
        if character == "*":
            if parts and parts[-1] == ANY:
                raise ValueError("two asterisks stand side by side")
            parts.append(ANY)
        elif character == "\\":
            following = next(characters, "")
            if following not in ("*", "\\"):
                raise ValueError("a backslash escapes neither an asterisk nor a backslash")
            parts.append(escape(following))
        else:
            parts.append(escape(character))
    return "".join(parts)


def successor(prefix: str) -> str | None:
    """The least string above all strings that start so, by code point; None when there is none."""
    kept = prefix.rstrip("\U0010ffff")
    if not kept:
        return None
    following = ord(kept[-1]) + 1
    if following == 0xD800:  # strings hold no surrogates
        following = 0xE000
    return kept[:-1] + chr(following)
