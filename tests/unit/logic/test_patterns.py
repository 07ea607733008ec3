import pytest

from siftmesh.logic.patterns import contains_pattern


@pytest.mark.parametrize(
    ("wider", "narrower"),
    [
        ("ab%", "abc%"),
        ("ab%", "abc"),
        ("%b%", "%abc%"),
        ("%c", "ab%bc"),
        ("%", "_"),
        ("_%", "a%"),
        ("a_c", "abc"),
        ("__%", "___"),
        ("a%c%", "abcd%"),
        ("%a%b%", "%xa%yb"),
        ("\\%%", "\\%a%"),
    ],
)
def test_the_wider_pattern_holds_the_narrower_and_not_the_other_way(wider: str, narrower: str) -> None:
    assert contains_pattern(wider, narrower)
    assert not contains_pattern(narrower, wider)


@pytest.mark.parametrize(
    ("one", "other"), [("a%", "%a"), ("a_", "_a"), ("\\%", "a"), ("%ab%", "%ba%"), ("a", "A"), ("_", "%")]
)
def test_patterns_that_do_not_hold_each_other(one: str, other: str) -> None:
    assert not contains_pattern(one, other)


def test_case() -> None:
    assert contains_pattern("a%", "ABC%", wider_ignores_case=True)
    assert contains_pattern("a%", "ab%", wider_ignores_case=True, narrower_ignores_case=True)
    assert not contains_pattern("a%", "ab%", narrower_ignores_case=True)
    assert contains_pattern("%", "ab%", narrower_ignores_case=True)
    # The one character of "ß" folds into two.
    assert contains_pattern("ss", "ß", wider_ignores_case=True)
    assert not contains_pattern("_", "_", wider_ignores_case=True)
    assert contains_pattern("_", "_", wider_ignores_case=True, narrower_ignores_case=True)


def test_what_takes_long_is_given_up() -> None:
    # True, but every place of the narrower pattern would have to be tried.
    assert contains_pattern("%" + "a" * 50 + "b%", "a" * 100 + "b")
    assert not contains_pattern("%" + "a" * 2_000 + "b%", "a" * 4_000 + "b")
