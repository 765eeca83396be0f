"""What no recorded case says: the ciphers' published vectors, the seeds' rules, laws of the
streams.
"""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import graphwright
from graphwright.ops.random import philox, philox_draws, threefry, truncated_normal, variates

pytestmark = pytest.mark.usefixtures("native_kernels")

ONES = 2**128 - 1


@pytest.mark.parametrize(
    ("key", "counter", "words"),
    [
        (0, 0, (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)),
        (2**64 - 1, ONES, (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD)),
    ],
)
def test_philox_gives_the_published_words(key: int, counter: int, words: tuple[int, ...]) -> None:
    assert tuple(philox.blocks(key, counter, 1)[0].tolist()) == words


#: Numbers of blocks with and without a rest beside whole vectors.
COUNTS = [32, 33, 1024, 1501]


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("counter", [0, 2**64 - 7, 2**64 - 2000, ONES - 3, 5 << 64])
def test_machine_code_gives_the_words_of_one_block_after_another(count: int, counter: int) -> None:
    assert philox.NATIVE.is_ready_for(2**12)
    words = philox.blocks(2**63 + 77, counter, count)
    for place in (0, 1, 6, 7, 8, count - 2, count - 1):
        np.testing.assert_array_equal(
            words[place], philox.blocks(2**63 + 77, counter + place, 1)[0]
        )


@pytest.mark.parametrize("count", COUNTS)
def test_machine_code_draws_what_a_stateless_op_draws(count: int) -> None:
    assert philox.NATIVE.is_ready_for(2**12)
    seeds = np.random.default_rng(count).integers(0, 2**64, (count, 2), np.uint64)
    units = variates.units_of_seeds(seeds)
    few = [variates.units_of_seeds(part) for part in np.array_split(seeds, count // 16)]
    np.testing.assert_array_equal(units, np.concatenate(few))
    for place in (0, 7, count - 1):
        seed = seeds[place].view(np.int64)
        one = graphwright.random.stateless_uniform(
            [1], seed, dtype=graphwright.float64, alg="philox"
        )
        assert units[place] == one.numpy()[0]


def test_threefry_gives_the_published_words() -> None:
    assert threefry.blocks(0, 0, 1)[0].tolist() == [0x6B200159, 0x99BA4EFE]


@given(st.integers(0, ONES), st.integers(0, 2**64 - 1), st.integers(0, 20), st.integers(0, 20))
def test_a_stream_may_be_entered_anywhere(counter: int, key: int, skipped: int, count: int) -> None:
    whole = philox.blocks(key, counter, skipped + count)
    np.testing.assert_array_equal(whole[skipped:], philox.blocks(key, counter + skipped, count))


@given(st.integers(0, ONES), st.integers(0, 2**64 - 1), st.integers(0, 2**40))
def test_a_state_packs_what_it_unpacks(counter: int, key: int, outputs: int) -> None:
    state = philox_draws.seed_state(counter | key << 128, 3)
    assert philox_draws.unpack(state) == (key, counter)
    moved = (counter + outputs * philox_draws.RESERVED) & ONES
    assert philox_draws.unpack(philox_draws.skip(state, outputs)) == (key, moved)


def test_large_draws_begin_like_small_ones() -> None:
    large = philox_draws.uniform(1, 2, 100_003, np.float32)
    assert large.shape == (100_003,)
    np.testing.assert_array_equal(large[:7], philox_draws.uniform(1, 2, 7, np.float32))
    assert 0.49 < large.mean() < 0.51


@pytest.mark.parametrize(
    ("global_seed", "op_seed", "pair"),
    [
        (None, None, None),
        (None, 5, (87654321, 5)),
        (0, 0, (0, 2**31 - 1)),
        (2**31, 2**31 + 3, (1, 4)),
        (-1, 7, (2**31 - 2, 7)),
    ],
)
def test_seed_pair(global_seed: int | None, op_seed: int | None, pair: object) -> None:
    assert philox_draws.seed_pair(global_seed, op_seed) == pair


def test_operation_seeds_follow_set_seed() -> None:
    """TensorFlow, after set_seed(42): uniform([3]) twice."""
    expected = [[0.6645621, 0.44100678, 0.3528825], [0.68789124, 0.48447883, 0.9309944]]
    pairs = ((42, seed) for seed in itertools.islice(philox_draws.operation_seeds(42), 2))
    drawn = [
        philox_draws.uniform(*philox_draws.key_counter(*pair), 3, np.float32) for pair in pairs
    ]
    np.testing.assert_allclose(drawn, expected, rtol=1e-6)


@pytest.mark.parametrize(
    ("parameters", "samples", "moved"), [(1, 3, 300), (1, 7, 500), (2, 7, 1000)]
)
def test_a_binomial_draw_moves_a_generator(parameters: int, samples: int, moved: int) -> None:
    """What TensorFlow's generators showed, in units of an output's reserve."""
    assert variates.binomial_reserve(parameters, samples) == moved * philox_draws.RESERVED


def test_what_draws_take() -> None:
    """As far as TensorFlow's second draws, among the recorded cases, lie behind the first."""
    assert philox_draws.shuffle_reserve(37) == 9
    assert variates.categorical_reserve(5, 11) == 5 * 12 * 2 * philox_draws.RESERVED


def test_impossible_bounds_are_refused() -> None:
    one = np.ones(1, np.float32)
    with pytest.raises(ValueError, match=r"deviation 1\.0, low 1\.0, high 1\.0"):
        truncated_normal.truncated_normal(0, 0, one, one, one, one, 3)
