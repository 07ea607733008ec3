import numpy as np
import pytest

from siftmesh.errors import ConfigError
from siftmesh.workload.streams import BLOCK, block, check_count, pick, slices, span, thresholds, uniforms


def test_a_column_is_the_same_in_every_run_and_version():
    # Pinned: whoever stored results of a seeded experiment relies on these very numbers.
    pinned = [0.4421286780990328, 0.18334250913048222, 0.9572757192610941]
    assert block(1, "auction.price", 0)[:3].tolist() == pinned


@pytest.mark.parametrize("other", [(2, "a", 0), (1, "b", 0), (1, "a", 1)])
def test_seed_column_and_block_each_give_other_numbers(other):
    assert not np.isin(block(1, "a", 0)[:100], block(*other)).any()


def test_a_part_of_a_column_is_what_stands_there_in_the_whole():
    whole = uniforms(3, "a", 2 * BLOCK + 10)
    assert np.array_equal(uniforms(3, "a", BLOCK, first=BLOCK // 2), whole[BLOCK // 2 : BLOCK // 2 + BLOCK])
    assert np.array_equal(uniforms(3, "a", 7), whole[:7])
    assert len(uniforms(3, "a", 0)) == 0


def test_slices_stop_at_the_end_of_a_block():
    assert list(slices(BLOCK - 3, 8, 4)) == [(0, BLOCK - 3, BLOCK), (1, 0, 4), (1, 4, 5)]
    assert list(slices(5, 0, 4)) == []


@pytest.mark.parametrize("bad", [(-1, 5, 5), (0, -1, 5), (0, 5, 0)])
def test_slices_refuse_what_cannot_be_meant(bad):
    with pytest.raises(ConfigError, match="expected at least"):
        list(slices(*bad))


def test_a_negative_seed_is_refused():
    with pytest.raises(ConfigError, match=r"seed is -1 \(expected at least 0\)"):
        block(-1, "a", 0)


def test_check_count_takes_the_least():
    check_count("rows", 0)
    with pytest.raises(ConfigError, match="rows is 0"):
        check_count("rows", 0, least=1)


def test_span_reaches_both_ends_and_no_further():
    almost_one = np.nextafter(1.0, 0.0)
    assert span(np.array([0.0, 0.5, almost_one]), 10).tolist() == [0, 5, 9]


def test_pick_follows_the_shares():
    assert pick(np.array([0.0, 0.49, 0.5, 0.99]), (0.5, 0.0, 0.5)).tolist() == [0, 0, 2, 2]
    assert thresholds((0.25, 0.75)).tolist() == [0.25]
