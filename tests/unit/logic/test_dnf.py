import pytest

from siftmesh.errors import LimitExceeded
from siftmesh.logic.dnf import MANY, dnf, estimate_clauses
from siftmesh.logic.tree import FALSE, TRUE, And, Or
from tests.reference.leaves import leaf

A, B, C, D = (leaf(name, "=", 1) for name in "abcd")


@pytest.mark.parametrize(
    ("tree", "expected"),
    [
        (TRUE, ((),)),
        (FALSE, ()),
        (A, ((A,),)),
        (And((A, B)), ((A, B),)),
        (Or((B, A)), ((A,), (B,))),
        (And((A, Or((B, C)))), ((A, B), (A, C))),
        (And((Or((A, B)), Or((C, D)))), ((A, C), (A, D), (B, C), (B, D))),
        (And((A, Or((leaf("a", "=", 2), B)))), ((A, B),)),
        (
            And((leaf("a", ">", 0), Or((leaf("a", "<", 2), B)))),
            ((leaf("a", "<", 2), leaf("a", ">", 0)), (leaf("a", ">", 0), B)),
        ),
        (And((Or((A, B)), Or((A, B)))), ((A,), (A, B), (B,))),
    ],
)
def test_clauses(tree, expected) -> None:
    assert dnf(tree) == expected


def test_clauses_that_imply_another_are_dropped_when_asked() -> None:
    tree = And((Or((A, B)), Or((A, B))))
    assert dnf(tree, subsume=True) == ((A,), (B,))
    assert dnf(Or((And((A, B)), leaf("a", "<", 7))), subsume=True) == ((leaf("a", "<", 7),),)


def test_the_size_is_known_before_the_work() -> None:
    wide = And(tuple(Or((leaf(f"x{i}", "=", 1), leaf(f"y{i}", "=", 1))) for i in range(200)))
    assert estimate_clauses(wide) == MANY
    with pytest.raises(LimitExceeded, match="more than 2\\*\\*62 clauses") as caught:
        dnf(wide)
    assert caught.value.limit == 1024
    with pytest.raises(LimitExceeded, match="has 4 clauses"):
        dnf(And((Or((A, B)), Or((C, D)))), limit=3)
