from dataclasses import replace

import pyarrow as pa
import pytest

from siftmesh.errors import ConfigError
from siftmesh.workload.auction import CATEGORIES, AuctionModel
from siftmesh.workload.subscriptions import CLASSES, draw, literals, mixed, template, texts
from tests.reference.auction_oracle import leaves, operators, prunings, read

MODEL = AuctionModel()


@pytest.mark.parametrize(
    ("name", "predicates", "ands", "ors", "dropped"),
    [
        ("1", 6, 3, 1, 4),
        ("2", 12, 7, 3, 8),
        ("collector", 7, 3, 1, 5),
        ("collector-inferred", 7, 3, 3, 3),
    ],
)
def test_each_class_has_the_counts_of_the_paper(name, predicates, ands, ors, dropped):
    for text in draw(name, 20, 1, MODEL).texts()["filter"].to_pylist():
        tree = read(text)
        assert leaves(tree) == predicates
        assert (operators(tree, "and"), operators(tree, "or")) == (ands, ors)
        assert prunings(tree) == dropped


def test_the_three_classes_of_the_paper_are_there():
    assert CLASSES == ("1", "2", "collector", "collector-inferred")


def test_values_stand_in_the_text_where_the_parameters_were():
    one = draw("1", 1, 7, MODEL)
    assert one.template == (
        "title = :title AND ending < 86400"
        " AND (condition = 'new' AND price <= :price_new OR condition = 'used' AND price <= :price_used)"
    )
    (row,) = one.parameters.to_pylist()
    (text,) = one.texts().to_pylist()
    title = row["title"].replace("'", "''")
    assert text == {
        "id": 0,
        "filter": (
            f"title = '{title}' AND ending < 86400 AND (condition = 'new' AND price <= {row['price_new']}"
            f" OR condition = 'used' AND price <= {row['price_used']})"
        ),
        "class": "1",
    }


def test_literals_are_escaped():
    column = pa.chunked_array([["O'Malley", "''", "plain"]])
    assert literals(column).to_pylist() == ["'O''Malley'", "''''''", "'plain'"]
    assert literals(pa.chunked_array([[9.99, 5.0]])).to_pylist() == ["9.99", "5"]


def test_titles_come_from_the_reduced_pool_and_limits_from_their_range():
    table = draw("1", 20_000, 1, MODEL).parameters
    pool = set(MODEL.catalogue.phrases.to_pylist())
    assert set(table["title"].to_pylist()) == pool
    prices = table["price_new"].to_pylist()
    assert (min(prices), max(prices)) == (1.0, 40.0)


def test_a_collector_asks_for_a_category_that_the_author_writes_in():
    shelf = MODEL.catalogue
    names = shelf.authors.to_pylist()
    written = {}
    for author, category in zip(shelf.author.tolist(), shelf.category.tolist(), strict=True):
        written.setdefault(names[author], set()).add(CATEGORIES[category])
    for row in draw("collector", 2_000, 1, MODEL).parameters.to_pylist():
        assert row["category"] in written[row["author"]]


def test_the_last_author_may_have_fewer_books():
    tiny = replace(MODEL, items=6)
    assert draw("collector", 100, 1, tiny).parameters.num_rows == 100


def test_full_titles_are_looked_for_by_their_beginning():
    model = replace(MODEL, full_titles=True)
    assert template("1", model).startswith("title LIKE :title AND")
    assert all(title.endswith(":%") for title in draw("2", 50, 1, model).parameters["title"].to_pylist())


def test_a_mixture_numbers_its_subscriptions_across_the_classes():
    parts = mixed(3_000, 1, MODEL)
    assert [part.name for part in parts] == ["1", "2", "collector"]
    assert all(900 < part.parameters.num_rows < 1_100 for part in parts)
    table = texts(parts)
    assert table.column_names == ["id", "filter", "class"]
    assert table["id"].to_pylist() == list(range(3_000))


def test_a_longer_mixture_begins_with_the_shorter():
    assert texts(mixed(500, 1, MODEL)).slice(0, 100).equals(texts(mixed(100, 1, MODEL)))


def test_no_subscriptions_at_all():
    assert texts(mixed(0, 1, MODEL)).num_rows == 0


def test_an_unknown_class_is_refused_with_the_nearest_name():
    with pytest.raises(ConfigError, match=r"no subscription class 'colector' .*did you mean 'collector'\?"):
        draw("colector", 1, 1, MODEL)


@pytest.mark.parametrize(("classes", "shown"), [((), "none"), (("1", "1"), "1, 1")])
def test_a_mixture_of_nothing_or_of_the_same_is_refused(classes, shown):
    with pytest.raises(ConfigError, match=f"the classes are {shown} "):
        mixed(10, 1, MODEL, classes)
