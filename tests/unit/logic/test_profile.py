"""Profiles: what events are likely to meet, merged from parts, and kept as bytes."""

from __future__ import annotations

import msgspec
import pytest

from siftmesh.errors import DamagedData
from siftmesh.logic import profile as module
from siftmesh.logic.columns import Columns
from siftmesh.logic.histogram import Range
from siftmesh.logic.profile import GUESSES, Counter, Profile
from siftmesh.logic.sample import Sample
from siftmesh.logic.selectivity import Estimate
from siftmesh.logic.tree import FALSE, TRUE, And, Get, Leaf, Operator, Or, Residual
from siftmesh.model.encode import pack, unpack
from siftmesh.model.event import Event
from tests.reference.leaves import leaf, some

SIZE = 4_000


def event(number: int) -> Event:
    return Event(
        {"n": number, "even": number % 2 == 0, "text": f"t{number % 50}", "rare": 1}
        if number % 100 == 0
        else {"n": number, "even": number % 2 == 0, "text": f"t{number % 50}"}
    )


EVENTS = [event(number) for number in range(SIZE)]
LOW, EVEN, RARE = leaf("n", "<", 1_000), leaf("even", "=", True), leaf("rare", "=", 1)
BOTH = And((EVEN, leaf("even", "=", False)))


def seen(
    first: int = 0, last: int = SIZE, predicates: tuple[Leaf, ...] = (LOW,), sample: int = 300
) -> Profile:
    return Profile.of(Columns.of(EVENTS[first:last]), predicates, start=first, sample=Sample(sample))


SEEN = seen()


def test_what_was_counted_is_known() -> None:
    assert SEEN.counters == {LOW: Counter(1_000, 3_000, 0)}
    assert SEEN.counters[LOW].events == SIZE
    assert SEEN.probability(LOW) == 0.25
    unknown = seen(predicates=(RARE,)).counters[RARE]
    assert unknown == Counter(40, 0, 3_960)


def test_what_the_attribute_tells_exactly_is_taken_from_there() -> None:
    assert SEEN.probability(EVEN) == 0.5
    assert SEEN.probability(RARE) == 0.01
    assert SEEN.probability(leaf("rare", "IS NULL")) == 0.99
    assert SEEN.probability(leaf("text", "=", "t7")) == 0.02
    assert SEEN.probability(leaf("nowhere", "=", 1)) == 0
    assert SEEN.probability(leaf("nowhere", "NOT EXISTS")) == 1
    assert SEEN.share(EVEN) == Range(0.5, 0.5, 0.5)


def test_a_range_of_many_values_is_known_to_a_bucket() -> None:
    found = SEEN.share(leaf("n", "<", 1_234))
    assert found.least <= 1_234 / SIZE <= found.most
    assert found.width < 0.01
    assert SEEN.probability(leaf("n", "<", 1_234)) == pytest.approx(1_234 / SIZE, abs=0.005)


def test_what_only_the_events_can_tell_is_taken_from_the_sample() -> None:
    odd = Residual(Operator.EQ, Get("n"), Get("n"))
    assert SEEN.probability(odd) == 1
    assert SEEN.share(odd) == Range(0, GUESSES[Operator.EQ], 1)
    half = Residual(Operator.LT, Get("n"), None, leaf("", "<", 2_000))
    assert SEEN.probability(half) == SEEN.sample.count(half) / 300 == pytest.approx(0.5, abs=0.1)
    never = Residual(Operator.LT, Get("n"), None, leaf("", "<", 0))
    assert SEEN.probability(never) == pytest.approx(1 / 300)


def test_a_sample_of_everything_is_exact() -> None:
    whole = seen(last=100, predicates=())
    assert whole.probability(leaf("n", "<", 37)) == 0.37
    assert whole.probability(Residual(Operator.LT, Get("n"), None, leaf("", "<", 0))) == 0


def test_a_tree_is_asked_of_the_sample_with_all_that_its_leaves_have_to_do_with_each_other() -> None:
    assert SEEN.probability(BOTH) == 0
    assert SEEN.probability(Or(BOTH.children)) == 1
    assert SEEN.probability(TRUE) == 1
    assert SEEN.probability(FALSE) == 0
    assert SEEN.bitmap(BOTH).tolist() == [0] * 5
    assert SEEN.bitmap(EVEN).tolist() == SEEN.sample.bitmap(EVEN).tolist()


def test_the_three_part_estimate_is_made_of_leaves() -> None:
    assert SEEN.selectivity(BOTH) == Estimate(0, 0.25, 0.5)
    assert SEEN.selectivity(LOW) == Estimate(0.25, 0.25, 0.25)
    assert seen(sample=0).probability(BOTH) == 0.25


def test_while_nothing_was_seen_it_is_guessed() -> None:
    for asked in (LOW, EVEN, some("xs", (0, "<", 1)), leaf("a", "IS NULL")):
        guess = GUESSES[asked.operator]
        assert Profile().probability(asked) == guess
        assert Profile().share(asked) == Range(0, guess, 1)
    assert set(GUESSES) == {*Operator}
    assert Profile().probability(BOTH) == pytest.approx(0.01)
    assert seen(0, 0).probability(LOW) == GUESSES[Operator.LT]


def without_lists(one: Profile) -> Profile:
    """The profile without the one thing that depends on how it was put together."""
    attributes = {}
    for name, attribute in one.attributes.items():
        bare = msgspec.structs.replace(attribute.numbers.frequent, counts=(), missed=0)
        spread = msgspec.structs.replace(attribute.numbers, frequent=bare)
        attributes[name] = msgspec.structs.replace(attribute, numbers=spread)
    return msgspec.structs.replace(one, attributes=attributes)


def test_parts_merge_into_the_whole() -> None:
    one, two, none, rest = seen(0, 1), seen(1, 900), seen(900, 900), seen(900, SIZE)
    forwards = one.merge(two).merge(none).merge(rest)
    backwards = rest.merge(none.merge(two)).merge(one)
    assert without_lists(forwards) == without_lists(backwards) == without_lists(SEEN)
    assert forwards.attributes["text"] == SEEN.attributes["text"]
    assert SEEN.merge(Profile()).attributes == SEEN.attributes


def test_a_leaf_may_be_counted_in_a_part_only() -> None:
    merged = seen(0, 2_000).merge(seen(2_000, SIZE, predicates=()))
    assert merged.counters == {LOW: Counter(1_000, 1_000, 0)}
    assert merged.probability(LOW) == 0.5  # of the 2,000 events of which it was asked
    little = seen(0, 10).merge(seen(10, SIZE, predicates=()))
    assert little.probability(LOW) == pytest.approx(0.25, abs=0.005)


def test_an_attribute_that_was_in_no_event_of_a_part_was_looked_for_there() -> None:
    merged = seen(0, 1).merge(seen(1, 100))
    assert merged.attribute("rare").events == 100
    assert merged.probability(RARE) == 0.01
    assert merged.attribute("nowhere").events == 100


def test_the_rarest_attributes_are_left_out_where_there_are_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_ATTRIBUTES", 3)
    many = Profile.of(Columns.of([Event({"a": 1, "b": 1}), Event({"a": 2, "b": 2, "y": 1, "x": 1})]))
    assert sorted(many.attributes) == ["a", "b", "x"]
    assert not many.complete
    assert not many.merge(SEEN).complete
    assert many.attribute("y").events == 0
    assert many.share(leaf("y", "=", 1)) == Range(0, GUESSES[Operator.EQ], 1)
    # What was left out of a part is known of the other part only.
    again = many.merge(Profile.of(Columns.of([Event({"y": 5})] * 3)))
    assert (again.attribute("y").events, again.attribute("a").events) == (3, 5)
    assert again.share(leaf("y", "=", 5)) == Range(1, 1, 1)


def test_a_profile_is_a_value() -> None:
    assert seen() == SEEN
    assert seen(0, 10) != SEEN
    assert seen(sample=299) != SEEN
    with pytest.raises(AttributeError):
        SEEN.events = 3  # type: ignore[misc]  # a frozen struct


# ---- bytes


def test_a_profile_is_kept_as_bytes() -> None:
    predicates = (LOW, RARE, some("xs", (0, "<", 1)), Residual(Operator.LT, Get("n"), Get("m")))
    for one in (SEEN, Profile(), seen(0, 1), seen(predicates=predicates)):
        again = Profile.from_bytes(one.to_bytes())
        assert again == one
        assert again.to_bytes() == one.to_bytes()
    assert seen(predicates=predicates).to_bytes() == seen(predicates=predicates[::-1]).to_bytes()


def test_any_change_of_the_bytes_is_seen() -> None:
    data = seen(0, 20).to_bytes()
    for place in range(0, len(data), 7):
        for damaged in (data[:place], data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :]):
            with pytest.raises(DamagedData):
                Profile.from_bytes(damaged)
    with pytest.raises(DamagedData, match="they do not begin as one"):
        Profile.from_bytes(pack(["another", 1, b"", b""]))


def forged(change: object) -> bytes:
    """The bytes of a small profile of which a part was changed by somebody who knows how they are made."""
    name, version, _, body = unpack(seen(0, 3, (LOW,)).to_bytes(), "profile")
    parts = unpack(body, "profile")
    change(parts)
    body = pack(parts)
    return pack([name, version, module._digest(body), body])


def test_a_version_that_is_not_known_is_refused() -> None:
    name, _, digest, body = unpack(SEEN.to_bytes(), "profile")
    with pytest.raises(DamagedData, match="this profile has version 2, known is version 1"):
        Profile.from_bytes(pack([name, 2, digest, body]))


def assign(path: list[object], value: object) -> object:
    def change(parts: object) -> None:
        for step in path[:-1]:
            parts = parts[step]
        parts[path[-1]] = value

    return change


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ([0], -1),
        ([0], "many"),
        ([1], [[b"\x92\x01\xc0", [1, 1, 1]]]),
        ([1], [[b"\x93\x01\xff\x00", [1, 1, 1]]]),
        ([1, 0, 1], [1, 1, -1]),
        ([2], []),
        ([2, "n", 1], 4),
        ([2, "n", 4, 1, 2, 0, 0], b"\xc0\xc0"),
        ([3, 3, 0], -1),
        ([3, 4, 0], b"\x92\x80"),
        ([4], None),
    ],
    ids=str,
)
def test_forged_bytes_are_refused(path: list, value: object) -> None:
    with pytest.raises(DamagedData):
        Profile.from_bytes(forged(assign(path, value)))


def test_what_a_forger_leaves_as_it_was_is_read() -> None:
    assert Profile.from_bytes(forged(assign([0], 3))) == seen(0, 3, (LOW,))
    assert msgspec.structs.asdict(Profile.from_bytes(forged(assign([0], 77))))["events"] == 77
