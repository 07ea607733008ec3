import numpy as np
import pytest

from siftmesh.errors import ConfigError
from siftmesh.workload import names


def test_names_read_like_names():
    assert names.titles(2).to_pylist() == ["The Amber Archive of Alabridge", "Belastead and the Amber Dragon"]
    assert names.authors(2).to_pylist() == ["Ada Albeberg", "Fenora Thorndaberg"]


@pytest.mark.parametrize("make", [names.authors, names.titles])
def test_no_two_are_equal_and_more_leave_the_first_as_they_were(make):
    many = make(200_000).to_pylist()
    assert len(set(many)) == len(many)
    assert make(50).to_pylist() == many[:50]


@pytest.mark.parametrize(
    "words", [names._GIVEN, names._FAMILY, names._PLACES, names._ADJECTIVES, names._NOUNS]
)
def test_no_combination_of_syllables_spells_another(words):
    assert len(set(words)) == len(words)


@pytest.mark.parametrize("capacity", [names.AUTHORS, names.TITLES])
def test_the_scattering_step_shares_no_factor_with_the_capacities(capacity):
    # With a common factor the numbers would come round before every name was used once.
    assert np.gcd(names._STEP, capacity) == 1


def test_some_names_need_escaping_and_none_looks_like_a_pattern():
    titles = names.titles(1_000).to_pylist()
    assert any("'" in title for title in titles)
    assert not any(set("%_:") & set(title) for title in titles)


def test_more_names_than_there_are_is_refused_with_the_limit():
    with pytest.raises(ConfigError, match=f"expected 0 to {names.AUTHORS}"):
        names.authors(names.AUTHORS + 1)
    with pytest.raises(ConfigError, match="-1 titles"):
        names.titles(-1)
