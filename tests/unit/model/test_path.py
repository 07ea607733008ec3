"""Names of attributes have one canonical spelling."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from siftmesh.model.path import is_plain, join, quote, split

STEPS = st.text(max_size=5) | st.sampled_from(["", "a", '"', '""', ".", "a.b", '"."', "and", "1", "ß", "a b"])


@pytest.mark.parametrize(
    ("step", "plain"),
    [
        *((step, True) for step in ("a", "_", "a1", "größe", "and", "²")),
        *((step, False) for step in ("", "1a", "a b", "a.b", 'a"', "a\n", "-")),
    ],
)
def test_plain_words_need_no_quotes(step: str, plain: bool) -> None:
    assert is_plain(step) is plain
    assert (quote(step) == step) is plain


@pytest.mark.parametrize(
    ("steps", "name"),
    [
        (("a",), "a"),
        (("data", "price"), "data.price"),
        (("odd name", "x"), '"odd name".x'),
        (("a.b",), '"a.b"'),
        (('say "x"',), '"say ""x"""'),
        (("",), '""'),
        (("a", "", "b"), 'a."".b'),
    ],
)
def test_a_path_has_one_name(steps: tuple[str, ...], name: str) -> None:
    assert join(steps) == name
    assert split(name) == steps


@given(st.lists(STEPS, min_size=1, max_size=5))
@example(["", ""])
@example(['"', "."])
def test_splitting_undoes_joining(steps: list[str]) -> None:
    assert split(join(steps)) == tuple(steps)


@given(st.lists(STEPS, min_size=1, max_size=3), st.lists(STEPS, min_size=1, max_size=3))
def test_different_paths_have_different_names(one: list[str], other: list[str]) -> None:
    assert (join(one) == join(other)) == (one == other)
