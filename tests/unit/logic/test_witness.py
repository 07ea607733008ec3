import math
from datetime import UTC, datetime

from siftmesh.logic.domains import ANYTHING, MISSING
from siftmesh.logic.tree import Get, Operator, Or, Quantified, Residual, Term
from siftmesh.logic.witness import Witnesses, fits
from siftmesh.model.values import INT_MIN, Kind, Timestamp
from tests.reference.leaves import leaf, some
from tests.reference.tree_oracle import is_true


def test_events_lie_in_their_domains() -> None:
    domains = {"a": ANYTHING.met(leaf("a", "<", 5)), "b": ANYTHING.met(leaf("b", "NOT EXISTS"))}
    events = list(Witnesses(leaf("a", "<", 5), leaf("b", "NOT EXISTS")).within(domains, [], []))
    assert events
    assert all(event.values["a"] < 5 and "b" not in event.values for event in events)


def test_patterns_are_filled_in() -> None:
    wanted, unwanted = leaf("a", "LIKE", "%b_d%"), leaf("a", "LIKE", "%xx%")
    domains = {"a": ANYTHING.met(wanted)}
    events = list(Witnesses(unwanted, wanted).within(domains, [wanted], [unwanted]))
    assert events
    assert all(is_true(wanted, event) and not is_true(unwanted, event) for event in events)


def test_arrays_are_made_of_the_constants() -> None:
    contains, more = leaf("a", "CONTAINS", 7), leaf("a", "OVERLAPS", (8, 9))
    found = Witnesses(more, contains).within({"a": ANYTHING.met(contains)}, [contains], [more])
    assert next(found).values == {"a": (7,)}
    wanted = some("xs ys", (0, ">=", 45), (1, "<=", 70))
    events = list(Witnesses(Or(()), wanted).within({}, [wanted], []))
    assert any(is_true(wanted, event) for event in events)


def test_elements_are_beside_bounds_of_their_own_kind() -> None:
    terms = (Term(0, Operator.EQ, Kind.STRING, "b"), Term(0, Operator.GT, Kind.NUMBER, 5))
    both = Quantified(("xs",), Operator.SOME, terms)
    found = Witnesses(Or(()), both).within({"xs": ANYTHING}, [both], [])
    states = [event.values.get("xs") for event in found]
    assert {(5,), (6,), ("b",)} <= set(states)


def test_no_event_holds_what_no_event_can_hold() -> None:
    last = leaf("a", ">", Timestamp.of(datetime.max.replace(tzinfo=UTC)))
    assert list(Witnesses(Or(()), last).within({"a": ANYTHING.met(last)}, [last], [])) == []
    least = leaf("a", "<", INT_MIN)
    events = list(Witnesses(Or(()), least).within({"a": ANYTHING.met(least)}, [least], [least]))
    assert all(type(event.values["a"]) is float for event in events)
    above = leaf("a", ">", -math.inf)
    events = list(Witnesses(Or(()), above).within({"a": ANYTHING.met(above)}, [], [above]))
    assert not any(math.isnan(event.values["a"]) for event in events)


def test_a_long_list_takes_little_time() -> None:
    wanted, unwanted = leaf("a", "OVERLAPS", tuple(range(50_000))), leaf("a", "CONTAINS", 7)
    events = Witnesses(unwanted, wanted).within({"a": ANYTHING.met(wanted)}, [wanted], [unwanted])
    assert 7 not in next(events).values["a"]


def test_attributes_of_expressions_get_a_choice_of_values() -> None:
    wanted = Residual(Operator.LT, Get("a"), Get("b"))
    assert any(is_true(wanted, event) for event in Witnesses(Or(()), wanted).within({}, [wanted], []))


def test_without_a_fitting_state_there_is_no_event() -> None:
    wanted = leaf("a", "LIKE", "%b")
    assert list(Witnesses(wanted, wanted).within({}, [wanted], [wanted])) == []


def test_fits_asks_only_leaves_of_the_attribute() -> None:
    assert fits("a", 5, [leaf("a", "=", 5), leaf("b", "=", 5)], [])
    assert not fits("a", 5, [], [leaf("a", ">", 3)])
    assert fits("a", MISSING, [leaf("a", "NOT EXISTS")], [leaf("a", "=", 5)])
