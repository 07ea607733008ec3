import pytest

from siftmesh.logic.normalise import conjunction, disjunction, normalise
from siftmesh.logic.tree import FALSE, TRUE, And, Get, Operator, Or, Residual, depth, sort_key
from tests.reference.leaves import leaf, some

A, B, C, D = (leaf(name, "=", 1) for name in "abcd")


@pytest.mark.parametrize(
    ("tree", "expected"),
    [
        (And(()), TRUE),
        (Or(()), FALSE),
        (And((A,)), A),
        (And((B, A)), And((A, B))),
        (And((A, And((B, C)))), And((A, B, C))),
        (Or((Or((C, B)), A)), Or((A, B, C))),
        (And((A, TRUE)), A),
        (And((A, FALSE)), FALSE),
        (Or((A, FALSE)), A),
        (Or((A, TRUE)), TRUE),
        (And((A, A)), A),
        (And((Or((A, B)), Or((B, A)))), Or((A, B))),
        # absorption
        (Or((A, And((A, B)))), A),
        (And((A, Or((A, B)))), A),
        (Or((And((A, B)), And((A, B, C)))), And((A, B))),
        (And((Or((A, B)), Or((A, B, C)))), Or((A, B))),
        (Or((leaf("a", "<", 7), And((A, B)))), leaf("a", "<", 7)),
        (And((A, Or((leaf("a", "<", 7), B)))), A),
        (And((A, B, Or((And((A, B)), C)))), And((A, B))),
        # what looks like absorption and is none
        (And((A, Or((And((A, B)), C)))), And((A, Or((C, And((A, B))))))),
        (Or((And((A, B)), And((A, C)))), Or((And((A, B)), And((A, C))))),
        # leaves of one attribute
        (And((leaf("a", "<", 5), leaf("a", ">", 7), B)), FALSE),
        (Or((leaf("a", "IS NULL"), B, leaf("a", "IS NOT NULL"))), TRUE),
        (And((A, Or((leaf("b", "<", 5), leaf("b", "<", 7))))), And((A, leaf("b", "<", 7)))),
        (And((A, Or((leaf("a", "=", 2), leaf("a", "=", 3))))), FALSE),
        (And((leaf("a", "LIKE", "ab"), B)), And((leaf("a", "=", "ab"), B))),
    ],
)
def test_normal_forms(tree, expected) -> None:
    assert normalise(tree) == expected
    assert normalise(expected) == expected


def test_nothing_is_factored_out_or_multiplied_out() -> None:
    tree = Or((And((A, Or((B, C)))), And((A, D))))
    assert sorted(map(sort_key, normalise(tree).children)) == sorted(map(sort_key, tree.children))


def test_siblings_stand_in_the_order_of_their_keys() -> None:
    siblings = [
        Or((And((A, B)), And((A, C)))),
        Or((A, C, D)),
        Or((A, C)),
        Or((B, And((A, C)))),
        Or((some("xs", (0, ">", 5)), Residual(Operator.LT, Get("a"), Get("b")))),
        Residual(Operator.LT, Get("a"), Get("b")),
        some("xs", (0, ">", 3)),
        D,
    ]
    joined = normalise(And(tuple(siblings)))
    keys = [sort_key(child) for child in joined.children]
    assert keys == sorted(keys)
    assert normalise(And(tuple(reversed(siblings)))) == joined


def test_joining_normal_forms() -> None:
    assert conjunction([]) == TRUE
    assert disjunction([]) == FALSE
    assert conjunction([And((A, B)), C]) == And((A, B, C))
    assert disjunction(iter([A, Or((B, C))])) == Or((A, B, C))
    assert disjunction([A, And((A, B))]) == A


def test_a_spent_budget_leaves_pairs_as_they_stand() -> None:
    tree = Or((And((A, B)), And((A, B, C)), And((A, B))))
    assert normalise(tree, budget=0) == Or((And((A, B)), And((A, B, C))))
    assert normalise(tree) == And((A, B))


def test_deep_trees_are_within_reach() -> None:
    tree = A
    for number in range(300):
        tree = (And if number % 2 else Or)((leaf(f"x{number}", "<", number), tree))
    assert depth(normalise(tree)) == 301


def test_long_lists_take_no_quadratic_time() -> None:
    listed = Or(tuple(leaf("a", "=", number) for number in range(5000)))
    assert normalise(listed) == leaf("a", "IN", tuple(range(5000)))
