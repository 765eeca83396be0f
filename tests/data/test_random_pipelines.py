"""Random pipelines give what plain generators give, in every way to iterate them."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from everyday.programs import Program
from pipelines.composer import compose
from pipelines.known import FAULTS, is_known
from pipelines.trials import Finding, examine, explain, smallest
from pipelines.ways import WAYS

import graphwright as tf

#: How many pipelines of the slow run are one test.
_SLICE = 500
#: Seconds for shrinking a pipeline that differs.
_SHRINKING = 20.0


def check(seed: int, ways: Sequence[str]) -> None:
    """Fails with the shrunk pipeline and the command that runs it."""
    program = compose(seed)
    for finding in examine(program, seed, tf, ways):
        if not is_known(program, finding):
            pytest.fail(explain(seed, tf, finding, _SHRINKING))


@pytest.mark.parametrize("part", range(10))
def test_random_pipelines(part: int) -> None:
    names = list(WAYS)
    for seed in range(50 * part, 50 * part + 50):
        check(seed, [names[seed % len(names)]])


@pytest.mark.slow
@pytest.mark.parametrize("part", range(40))
def test_many_pipelines(part: int) -> None:
    for seed in range(_SLICE * part, _SLICE * (part + 1)):
        check(seed, list(WAYS))


@pytest.mark.parametrize("name", FAULTS)
def test_a_known_fault_is_not_mended(name: str) -> None:
    fault = FAULTS[name]
    program = Program(fault.smallest, ("ds",))
    ways = list(fault.ways or WAYS)
    findings = (f for seed in range(8) for f in examine(program, seed, tf, ways))
    assert any(fault.explains(program, f) for f in findings)


def test_a_pipeline_is_the_same_again() -> None:
    assert compose(11) == compose(11)


#: Beside the last element of a dataset, another one fails.
_FAILS_AT_THE_END = """
def numbers():
    yield from range(2)
    raise ValueError('no')
ds = tf.data.Dataset.from_generator(numbers, output_signature=tf.TensorSpec([], tf.int64))
ds = tf.data.Dataset.zip((ds, tf.data.Dataset.range(2)))
"""


def test_a_failure_beside_the_end_of_another_dataset() -> None:
    assert not examine(Program(_FAILS_AT_THE_END, ("ds",)), 0, tf, ["eagerly", "numpy"])


#: The model knows which elements a failure loses, with a fusion and without.
_LOST = """
def check(x):
    tf.debugging.Assert(x % 5 != 0, [x])
    return x
ds = tf.data.Dataset.range(12).map(check)
"""


@pytest.mark.parametrize(
    "stage", ["batch(4)", "ragged_batch(4)", "batch(4, num_parallel_calls=1)", "take(9).batch(4)"]
)
def test_what_a_failure_loses(stage: str) -> None:
    program = Program(f"{_LOST}ds = ds.{stage}\n", ("ds",))
    assert not examine(program, 0, tf, list(WAYS))


def test_padding_of_bools_and_of_scalars() -> None:
    texts = [
        "ds = tf.data.Dataset.from_tensor_slices([[True], [False]]).padded_batch(2, [2])",
        "ds = tf.data.Dataset.range(2)"
        ".flat_map(lambda x: tf.data.Dataset.from_tensors(tf.reduce_sum([x]))).padded_batch(5)",
    ]
    for text in texts:
        assert not examine(Program(text, ("ds",)), 0, tf, list(WAYS))


#: A pipeline that is another one for the model.
_WRONG = """
number = 1 if tf.__name__ == 'plain' else 2
ds = tf.data.Dataset.range(7)
ds = ds.map(lambda x: x + 1)
ds = ds.{stage}
"""


@pytest.mark.parametrize("stage", ["skip(number)", "map(lambda x: x * number)", "batch(number)"])
@pytest.mark.parametrize("way", ["eagerly", "numpy", "looped", "reduced", "restored"])
def test_a_wrong_pipeline_is_noticed(stage: str, way: str) -> None:
    assert examine(Program(_WRONG.format(stage=stage), ("ds",)), 0, tf, [way])


def test_a_wrong_pipeline_is_shrunk() -> None:
    program = Program(_WRONG.format(stage="skip(number)"), ("ds",))
    finding = Finding("eagerly", "value", "")
    small, latest = smallest(program, 0, tf, finding, 5.0)
    assert latest.kind == "value"
    assert "map" not in small.source
