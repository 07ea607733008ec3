import re
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from siftmesh.errors import ConfigError
from siftmesh.workload import ranges
from siftmesh.workload.ranges import CHUNK, RangeModel, events, schema, texts
from tests.reference.auction_oracle import Columns, mean_share, read

MODEL = RangeModel()


def conjunctions(text):
    tree = read(text)
    return tree[1:] if tree[0] == "or" else (tree,)


@pytest.fixture(scope="module")
def filters():
    return texts(MODEL, 4_000, 1)["filter"].to_pylist()


def test_the_first_subscription_is_pinned():
    (text,) = texts(MODEL, 1, 1)["filter"].to_pylist()
    assert text.startswith(
        "a8 BETWEEN 146696 AND 487854 AND a2 BETWEEN 335167 AND 736159 AND a15 BETWEEN 261.618"
    )


def test_conjunctions_have_three_to_eight_ranges_of_different_attributes(filters):
    sizes = []
    for text in filters:
        for conjunction in conjunctions(text):
            attributes = re.findall(r"'(a\d+)'", repr(conjunction))
            assert len(set(attributes)) == len(attributes)
            sizes.append(len(attributes))
    assert np.bincount(sizes)[3:] / len(sizes) == pytest.approx([1 / 6] * 6, abs=0.03)


def test_a_fifth_are_disjunctions_of_two(filters):
    sides = [len(conjunctions(text)) for text in filters]
    assert set(sides) == {1, 2}
    assert np.mean(np.array(sides) == 2) == pytest.approx(0.2, abs=0.03)


def test_a_tenth_of_the_ranges_are_negated(filters):
    text = " ".join(filters)
    assert text.count("NOT (") / text.count("BETWEEN") == pytest.approx(0.1, abs=0.01)


def test_all_attributes_are_equally_likely(filters):
    places = [int(place) for place in re.findall(r"\ba(\d+) ", " ".join(filters))]
    assert np.bincount(places) / len(places) == pytest.approx([1 / 20] * 20, abs=0.006)


def test_events_have_whole_numbers_and_decimals_in_turn():
    table = pa.Table.from_batches(events(MODEL, 50_000, 1))
    assert table.schema == schema(MODEL)
    assert [str(kind) for kind in table.schema.types[:3]] == ["int64", "double", "int64"]
    for place, name in enumerate(table.column_names):
        values = table[name].to_numpy()
        top = 1_000 if place % 2 else 1_000_000
        assert values.min() >= 0
        assert values.max() < top
        assert np.mean(values) / top == pytest.approx(0.5, abs=0.01)
        assert np.array_equal(values, np.round(values, 3))


def test_a_subscription_matches_about_1_6_percent_of_the_events(filters):
    share = mean_share(filters, Columns.of(events(MODEL, 2_000, 2)))
    assert share == pytest.approx(0.016, abs=0.002)
    assert MODEL.expected_share == pytest.approx(0.0163, abs=0.0001)


@pytest.mark.parametrize(
    "change", [{"width": 0.5}, {"negated": 0.5}, {"disjunctive": 1.0}, {"most_ranges": 3}]
)
def test_the_expected_share_holds_for_other_settings(change):
    model = replace(MODEL, **change)
    seen = mean_share(texts(model, 2_000, 1)["filter"].to_pylist(), Columns.of(events(model, 2_000, 2)))
    assert seen == pytest.approx(model.expected_share, rel=0.12)


def test_subscriptions_do_not_depend_on_how_many_are_made():
    many = texts(MODEL, CHUNK + 50, 1)
    assert many.slice(0, 100).equals(texts(MODEL, 100, 1))
    assert many["id"].to_pylist() == list(range(CHUNK + 50))
    # The chunk that begins at CHUNK asks for the same rows as a whole that runs through it.
    assert ranges._texts(MODEL, CHUNK - 10, 60, 1).slice(10).equals(many.slice(CHUNK).combine_chunks())


def test_none_at_all():
    assert texts(MODEL, 0, 1).num_rows == 0
    assert list(events(MODEL, 0, 1)) == []


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"most_ranges": 21}, "3 to 21 ranges of 20 attributes"),
        ({"least_ranges": 0}, "expected 1 <= least_ranges"),
        ({"width": 0.7}, "width is 0.7"),
        ({"width": float("nan")}, "width is nan"),
        ({"negated": 2.0}, "negated is 2.0"),
    ],
)
def test_a_model_that_cannot_be_is_refused(change, message):
    with pytest.raises(ConfigError) as caught:
        replace(MODEL, **change)
    assert message in str(caught.value)


def test_a_negative_count_is_refused():
    with pytest.raises(ConfigError, match="count is -1"):
        texts(MODEL, -1, 1)
