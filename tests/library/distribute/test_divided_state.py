"""Optimizers whose state is divided among ranks, against those that keep all of it in each rank."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from support import ranks

import graphwright as tf
from graphwright.library.distribute.pending_sums import SharePacking, share_of, share_size

MPI = pytest.mark.skipif(not ranks.ARE_POSSIBLE, reason="there is no mpiexec")

PROGRAM = """
import pathlib
import numpy as np
import graphwright as tf
from support.ranks import leave

Options = tf.distribute.experimental.CommunicationOptions
plain, divided = [
    tf.distribute.MultiWorkerMirroredStrategy(
        communication_options=Options(bytes_per_pack=64, divide_state=divide)
    )
    for divide in (False, True)
]
rank = plain.extended.workers.rank
here = pathlib.Path(__file__).parent
x = tf.constant(np.random.default_rng(rank).normal(size=[4, 7]).astype("f"))

class Wholesale(tf.optimizers.Adam):  # it looks at a whole variable
    def update_step(self, gradient, variable, learning_rate):
        variable.assign_sub(gradient / tf.norm(gradient))

def trained(strategy, make, steps, restored=None, is_eager=False):
    random = np.random.default_rng(0)
    with strategy.scope():
        shapes = [7, 3], [5], [], [0, 2], [9]
        weights = [tf.Variable(random.normal(size=shape).astype("f")) for shape in shapes]
        weights[4] = tf.Variable(weights[4], constraint=lambda w: tf.clip_by_value(w, -1.0, 1.0))
        optimizer = make()
    checkpoint = tf.train.Checkpoint(weights=weights, optimizer=optimizer)
    if restored:
        checkpoint.restore(restored)

    def step():
        def replica():
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(tf.tanh(x @ weights[0]) * weights[2])
                loss += tf.add_n([tf.reduce_sum(w**2) for w in weights])
            optimizer.apply_gradients(zip(tape.gradient(loss, weights), weights))

        strategy.run(replica)

    run = step if is_eager else tf.function(step)
    for _ in range(steps):
        run()
    return weights, optimizer, checkpoint

def outcome(weights, optimizer, checkpoint):
    return [v.numpy().tolist() for v in (*weights, *optimizer.variables)]

def averaged():
    return tf.optimizers.Adam(
        0.1, global_clipnorm=0.5, use_ema=True, ema_overwrite_frequency=3, weight_decay=0.01
    )

def gathered():
    return tf.optimizers.SGD(0.1, momentum=0.9, clipnorm=0.3, gradient_accumulation_steps=2)

results = {}
paths = {}
for name, strategy in (("plain", plain), ("divided", divided)):
    made = trained(strategy, averaged, 4)
    paths[name] = made[2].write(str(here / f"{name}-{rank}"))
    results[name] = outcome(*made)
    results[f"{name} gathered"] = outcome(*trained(strategy, gathered, 3, is_eager=True))
    results[f"{name} size"] = sum(
        getattr(slot, "share", slot).shape.num_elements() for slot in made[1].variables[2:]
    )
for name, strategy in (("plain", divided), ("divided", plain)):
    results[f"from {name}"] = outcome(*trained(strategy, averaged, 2, paths[name]))
results["path"] = paths["divided"]
results["on"] = outcome(*trained(plain, averaged, 6))
weights, optimizer, _ = trained(divided, averaged, 1)
slot = optimizer.slot("momentum", weights[1])
slot.assign([1.0, 2.0, 3.0, 4.0, 5.0])
slot.assign_add(tf.ones([5]))
results["slot"] = [slot.shape.as_list(), slot.numpy().tolist(), slot.share.numpy().tolist()]

def refused(call):
    try:
        call()
    except (ValueError, NotImplementedError) as error:
        return str(error)

rows = tf.IndexedSlices(tf.ones([1]), [rank], [5])
update = lambda: optimizer.apply_gradients([(rows, weights[1])])
results["refusals"] = [
    refused(lambda: trained(divided, Wholesale, 1)),
    refused(lambda: divided.run(update)),
    refused(lambda: slot.scatter_add(rows)),
    refused(lambda: slot.assign(tf.ones([6]))),  # its shares have the length of those of [5]
]
leave(__file__, rank, results)
"""


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> dict[int, Any]:
    """What two ranks leave."""
    pytest.importorskip("mpi4py")
    results: dict[int, Any] = ranks.run(PROGRAM, 2, tmp_path_factory.mktemp("divided"))
    return results


def assert_same(actual: list[Any], expected: list[Any]) -> None:
    """Asserts that the values of variables are equal, but for rounding."""
    assert len(actual) == len(expected)
    for each, other in zip(actual, expected):
        np.testing.assert_allclose(each, other, rtol=1e-5, atol=1e-6)


@MPI
@pytest.mark.parametrize("kind", ["", " gathered"])
def test_weights_and_state_are_those_of_undivided_state(kind: str, two: dict[int, Any]) -> None:
    for results in two.values():
        assert_same(results["divided" + kind], results["plain" + kind])
        assert results["divided" + kind] == two[0]["divided" + kind]


@MPI
def test_a_checkpoint_is_whole_and_goes_both_ways(two: dict[int, Any]) -> None:
    for results in two.values():
        assert_same(results["from plain"], results["on"])
        assert_same(results["from divided"], results["on"])


@MPI
def test_one_process_goes_on_from_a_checkpoint_of_two(two: dict[int, Any]) -> None:
    shapes = [7, 3], [5], [], [0, 2], [9]
    weights = [tf.Variable(tf.zeros(shape)) for shape in shapes]
    optimizer = tf.optimizers.Adam(use_ema=True)
    optimizer.build(weights)
    checkpoint = tf.train.Checkpoint(weights=weights, optimizer=optimizer)
    for results in two.values():
        checkpoint.restore(results["path"]).assert_consumed()
        assert [v.numpy().tolist() for v in (*weights, *optimizer.variables)] == results["divided"]


@MPI
def test_a_rank_has_its_share_and_reads_the_whole(two: dict[int, Any]) -> None:
    for rank, results in two.items():
        assert results["plain size"] == 3 * (21 + 5 + 1 + 9)
        assert results["divided size"] == 3 * (11 + 3 + 1 + 5)
        shares = [[2.0, 3.0, 4.0], [5.0, 6.0, 0.0]]
        assert results["slot"] == [[5], [2.0, 3.0, 4.0, 5.0, 6.0], shares[rank]]


@MPI
def test_what_has_no_shares_is_refused(two: dict[int, Any]) -> None:
    whole, rows, scattered, longer = two[1]["refusals"]
    assert "The variable shape (5,), and the assigned value shape (6,) are incompatible" in longer
    assert "The state of Wholesale cannot be divided" in whole
    assert "`elementwise = True`" in whole
    assert "takes `tf.convert_to_tensor(gradient)`" in rows
    assert "ResourceScatterAdd does not reach" in scattered


@pytest.mark.parametrize("count", [1, 2, 3, 7])
def test_the_rows_of_a_packing_are_the_shares_of_its_arrays(count: int) -> None:
    random = np.random.default_rng(count)
    arrays = [random.normal(size=shape) for shape in ([2, 3], [], [0], [5])]
    packing = SharePacking(arrays, count)
    rows = [packing.unpacked(row) for row in packing.flat]
    for place, array in enumerate(arrays):
        size = share_size(array.size, count)
        joined = np.concatenate([row[place] for row in rows])
        assert joined.size == size * count
        np.testing.assert_array_equal(joined[: array.size], array.reshape(-1))
        assert not joined[array.size :].any()
        for rank, row in enumerate(rows):
            np.testing.assert_array_equal(share_of(array, rank, size), row[place])


def test_shares_are_not_halved() -> None:
    with pytest.raises(ValueError, match="one of `compression` and `divide_state`"):
        tf.distribute.experimental.CommunicationOptions(compression="bfloat16", divide_state=True)
