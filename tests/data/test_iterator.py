"""Iterators: in functions, as arguments, and saved in the middle."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

import graphwright as tf
from graphwright.data.reader import Reader
from graphwright.data.state_coding import decode, encode

Dataset = tf.data.Dataset

PROGRAM = """
import sys
import graphwright as tf

def dataset():
    texts = [str(i) for i in range(40)]
    rows = tf.data.Dataset.from_tensor_slices({"n": tf.range(40), "word": texts})
    return rows.shuffle(15, seed=5).map(lambda e: {**e, "twice": e["n"] * 2}).batch(3).prefetch(2)

def words(iterator):
    return [[w.decode() for w in e["word"].numpy()] for e in iterator]
"""


def test_arrays_of_elements_cannot_be_written() -> None:
    rows = [[1, 2], [3, 4], [5, 6]]
    source = Dataset.from_tensor_slices(rows)
    windows = source.window(2, shift=1).flat_map(lambda window: window.batch(2))
    for dataset in (source, source.cache(), windows, source.map(lambda x: (x, x + 1))):
        for element in dataset.as_numpy_iterator():
            assert not any(array.flags.writeable for array in tf.nest.flatten(element))
    assert [array.tolist() for array in source.as_numpy_iterator()] == rows


def test_ways_to_take_elements_can_be_mixed() -> None:
    iterator = iter(Dataset.range(1000))
    taken = []
    for place in range(240):
        way = place % 4
        if way == 1:
            taken.append(int(iterator.get_next()))
        elif way == 2:
            taken.append(int(iterator.get_next_as_optional().get_value()))
        elif way == 3:
            iterator._reader.restore(iterator._reader.save())
        else:
            taken.append(int(next(iterator)))
    taken += [int(x) for x in iterator]
    assert taken == list(range(1000))


def test_loops_over_a_numpy_iterator_share_its_elements() -> None:
    iterator = Dataset.range(1000).as_numpy_iterator()
    taken = [int(next(iterator))]
    for x in iterator:
        taken.append(int(x))
        if x == 300:
            break
    position = iterator.save()
    taken += [int(next(iterator)), *[int(x) for _, x in zip(range(5), iterator)]]
    assert taken == list(range(307))
    pairs = list(zip(iterator, iterator))
    assert pairs[0] == (307, 308)
    assert list(iterator) == []
    iterator.restore(position)
    assert [int(x) for x in iterator] == list(range(301, 1000))


def test_a_loop_over_a_numpy_iterator_goes_on_behind_an_error() -> None:
    iterator = Dataset.range(6).map(lambda x: 12 // (x - 3)).as_numpy_iterator()
    taken: list[int] = []
    with pytest.raises(tf.errors.InvalidArgumentError):
        taken.extend(iterator)
    assert taken == [-4, -6, -12]
    assert [int(x) for x in iterator] == [12, 6]


def failing(x: tf.Tensor) -> tf.Tensor:
    """Numbers of which every fifth is an error."""
    return 12 // (x % 5)


def seen(x: tf.Tensor) -> tf.Tensor:
    """The number, which Python sees."""
    return tf.numpy_function(lambda n: n, [x], tf.int64)


#: Pipelines in which an error waits until the elements before it are taken.
WAITING: dict[str, Any] = {
    "prefetch": lambda: Dataset.range(23).map(failing).prefetch(8),
    "two prefetches": lambda: Dataset.range(23).map(failing).prefetch(4).prefetch(4),
    "shuffle": lambda: Dataset.range(23).map(failing).shuffle(3, 1, False),
    "calls": lambda: Dataset.range(23).map(failing).map(seen, num_parallel_calls=4),
    "choice": lambda: Dataset.choose_from_datasets(
        [Dataset.range(23).map(failing), Dataset.range(9)], Dataset.range(40).map(lambda x: x % 2)
    ),
}


def outcomes(reader: Any) -> list[Any]:
    """Elements, and the classes and words of errors in their places."""
    outcomes: list[Any] = []
    while True:
        try:
            row = reader.row()
        except tf.errors.OpError as error:
            outcomes.append((type(error), error.message))
            continue
        if row is None:
            return outcomes
        outcomes.append(int(row[0]))


@pytest.mark.parametrize("name", WAITING)
def test_an_error_that_waits_is_saved(name: str) -> None:
    stage = WAITING[name]()._stage
    whole = outcomes(Reader(stage))
    assert any(isinstance(x, tuple) for x in whole)
    for place in range(len(whole)):
        first, second = Reader(stage), Reader(WAITING[name]()._stage)
        for _ in range(place):
            with suppress(tf.errors.OpError):
                first.row()
        second.restore(decode(encode(first.save())))
        assert [*whole[:place], *outcomes(second)] == whole


def test_an_iterator_goes_on_in_another_process(tmp_path: Path) -> None:
    scope: dict[str, object] = {}
    exec(PROGRAM, scope)
    dataset, words = scope["dataset"], scope["words"]
    iterator = iter(dataset())  # type: ignore[operator]
    for _ in range(4):
        next(iterator)
    path = tf.train.Checkpoint(iterator=iterator).save(str(tmp_path / "place"))
    rest = words(iterator)  # type: ignore[operator]
    program = PROGRAM + (
        "iterator = iter(dataset())\n"
        f"tf.train.Checkpoint(iterator=iterator).restore({path!r}).assert_consumed()\n"
        "print(words(iterator))"
    )
    other = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert other.stdout.strip() == str(rest)
    assert len(rest) == 10


@pytest.mark.parametrize("count", range(8))
def test_a_place_comes_back_whatever_was_taken(count: int, tmp_path: Path) -> None:
    def dataset() -> object:
        numbers = Dataset.range(6).flat_map(Dataset.range).repeat(2)
        return numbers.window(3, drop_remainder=True).flat_map(lambda w: w.batch(3))

    one, two = iter(dataset()), iter(dataset())  # type: ignore[call-overload]
    for _ in range(count):
        next(one)
    path = tf.train.Checkpoint(place=one).save(str(tmp_path / "place"))
    tf.train.Checkpoint(place=two).restore(path).assert_consumed()
    assert [e.numpy().tolist() for e in two] == [e.numpy().tolist() for e in one]


def test_a_place_in_another_pipeline_is_refused(tmp_path: Path) -> None:
    path = tf.train.Checkpoint(place=iter(Dataset.range(5).batch(2))).save(str(tmp_path / "place"))
    other = tf.train.Checkpoint(place=iter(Dataset.range(5).shuffle(3)))
    message = r"over ShuffleDataset\(RangeDataset\(\)\) cannot go on where one over BatchDataset"
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        other.restore(path)


def test_a_generator_says_that_it_cannot_be_saved(tmp_path: Path) -> None:
    spec = tf.TensorSpec([], tf.int32)
    iterator = iter(Dataset.from_generator(lambda: iter([1, 2]), output_signature=spec))
    with pytest.raises(tf.errors.FailedPreconditionError, match="cannot be saved"):
        tf.train.Checkpoint(place=iterator).save(str(tmp_path / "place"))
    assert not list(tmp_path.iterdir())


def test_a_loop_over_an_iterator_takes_no_more_than_it_needs() -> None:
    @tf.function
    def first_above(iterator: tf.data.Iterator, bound: tf.Tensor) -> tf.Tensor:
        last = tf.constant(-1, tf.int64)
        for x in iterator:
            last = x
            if x > bound:
                break
        return last

    iterator = iter(Dataset.range(10))
    assert int(first_above(iterator, tf.constant(3, tf.int64))) == 4
    assert int(next(iterator)) == 5
    assert int(first_above(iterator, tf.constant(100, tf.int64))) == 9
    assert first_above.experimental_get_tracing_count() == 1


def test_functions_know_iterators_by_the_type_of_their_elements() -> None:
    @tf.function
    def following(iterator: tf.data.Iterator) -> tf.Tensor:
        return next(iterator)

    for dataset in (Dataset.range(3), Dataset.range(5).map(lambda x: x * 2)):
        following(iter(dataset))
    assert following.experimental_get_tracing_count() == 1
    following(iter(Dataset.from_tensors(1.0)))
    assert following.experimental_get_tracing_count() == 2
    with pytest.raises(tf.errors.OutOfRangeError, match="End of sequence"):
        following(iter(Dataset.range(0)))


def test_a_loop_over_a_dataset_lets_shapes_change() -> None:
    @tf.function
    def total(dataset: tf.data.Dataset) -> tf.Tensor:
        result = tf.constant(0)
        for x in dataset:
            result += x
        return result

    @tf.function
    def collected(dataset: tf.data.Dataset) -> tf.Tensor:
        result = tf.zeros([0], tf.int64)
        for x in dataset:
            result = tf.concat([result, [x]], 0)
        return result

    unknown = Dataset.from_generator(lambda: [1, 2, 3], tf.int32)
    assert int(total(unknown)) == 6
    assert collected(Dataset.range(4)).numpy().tolist() == [0, 1, 2, 3]


def test_builtins_of_python_take_datasets_in_functions() -> None:
    @tf.function
    def by_number(dataset: tf.data.Dataset) -> tf.Tensor:
        result = tf.constant(0, tf.int64)
        for number, x in enumerate(dataset):
            result += number * x
        return result

    @tf.function
    def products(one: tf.data.Dataset, two: tf.data.Dataset) -> tf.Tensor:
        result = tf.constant(0, tf.int64)
        for x, y in zip(one, two):
            result += x * y
        return result

    @tf.function
    def changed(dataset: tf.data.Dataset) -> tf.Tensor:
        result = tf.constant(0, tf.int64)
        for x in map(lambda x: x * 2, dataset):  # noqa: C417 - that is what is tested
            result += x
        for x in filter(lambda x: x > 1, dataset):
            result += x * 100
        return result

    assert int(by_number(Dataset.range(4))) == 14
    assert int(products(Dataset.range(4), Dataset.range(10))) == 14
    assert int(changed(Dataset.range(4))) == 512
    assert int(tf.function(lambda: next(iter(Dataset.range(5).skip(2))))()) == 2
    assert int(tf.function(lambda dataset: len(dataset))(Dataset.range(7))) == 7
    with pytest.raises(tf.errors.InvalidArgumentError, match="infinite or unknown"):
        tf.function(lambda dataset: len(dataset))(Dataset.range(7).repeat())


def test_the_type_of_an_optional_may_come_from_the_loop_that_fills_it() -> None:
    @tf.function
    def last_of(iterator: Any, count: int) -> Any:
        """The last result of some steps, whose type is known once a step is traced."""
        nothing = tf.experimental.Optional.empty(None)

        def body(step: tf.Tensor, before: Any, given: Any) -> tuple[Any, ...]:
            def result() -> Any:
                optional = tf.experimental.Optional.from_value({"x": given.get_value() * 2})
                nothing._element_spec = optional.element_spec
                return optional

            def no_result() -> Any:
                before._element_spec = nothing._element_spec
                return before

            value = tf.cond(given.has_value(), result, no_result)
            return step + 1, value, iterator.get_next_as_optional()

        variables = [tf.constant(0), nothing, iterator.get_next_as_optional()]
        _, optional, _ = tf.while_loop(lambda step, *_: step < count, body, variables)
        optional._element_spec = nothing.element_spec
        return optional

    assert int(last_of(iter(Dataset.range(10)), 3).get_value()["x"]) == 4
    assert int(last_of(iter(Dataset.range(2)), 3).get_value()["x"]) == 2
    assert not last_of(iter(Dataset.range(0)), 3).has_value()
    assert tf.experimental.Optional.empty(None).element_spec == tf.NoneTensorSpec()


def test_an_optional_of_no_type_is_an_element() -> None:
    """Keras gives such for an input that a batch does not have."""
    optional = tf.experimental.Optional

    def batches() -> Any:
        yield 1.0, optional.empty(None)

    signature = (tf.TensorSpec([]), tf.OptionalSpec(None))
    dataset = Dataset.from_generator(batches, output_signature=signature)
    assert dataset.element_spec == signature
    ((number, nothing),) = dataset
    assert float(number) == 1.0
    assert isinstance(nothing, optional)
    assert not nothing.has_value()

    @tf.function
    def has_value(iterator: Any) -> Any:
        return iterator.get_next()[1].has_value()

    assert not has_value(iter(dataset))


@pytest.mark.parametrize("rows", [["b", "a", "b", "c", "a", "d"], [3, 1, 3, 2, 1, 4]])
def test_what_was_seen_is_saved(rows: list[Any]) -> None:
    dataset = tf.data.Dataset.from_tensor_slices(rows).unique()
    before, after = iter(dataset), iter(dataset)
    first = [next(before).numpy() for _ in range(2)]
    after._reader.restore(decode(encode(before._reader.save())))
    expected = tf.constant(list(dict.fromkeys(rows))).numpy().tolist()
    assert first + [x.numpy() for x in after] == expected


def test_an_iterator_whose_function_changes_a_variable_is_refused_too() -> None:
    counter = tf.Variable(0)
    generator = tf.random.Generator.from_seed(1)
    table = tf.lookup.experimental.MutableHashTable(tf.int64, tf.int64, -1)

    def count(x: tf.Tensor) -> tf.Tensor:
        if x > 0:
            counter.assign_add(1)
        return x

    def insert(x: tf.Tensor) -> tf.Tensor:
        table.insert(x, x)
        return x

    for function, name in (
        (count, "AssignAddVariableOp"),
        (lambda x: generator.uniform([]), "RngReadAndSkip"),
        (insert, "LookupTableInsertV2"),
    ):
        iterator = iter(tf.data.Dataset.range(3).map(function))
        with pytest.raises(tf.errors.FailedPreconditionError, match=f"{name} is stateful"):
            tf.train.Checkpoint(iterator=iterator).write("none")


def test_an_iterator_with_streams_of_random_numbers_is_saved_on_request_alone() -> None:
    """TensorFlow 2.21 refuses in the same words."""
    dataset = tf.data.Dataset.range(3).map(lambda x: tf.random.uniform([], seed=5)).batch(1)
    iterator = iter(dataset)
    with pytest.raises(tf.errors.FailedPreconditionError, match="RandomUniform is stateful"):
        tf.train.Checkpoint(iterator=iterator).write("none")
    assert next(iterator).shape == [1]


def drawing(count: int) -> tf.data.Dataset:
    """Numbers to which random ones below 1000 are added."""
    draw = lambda: tf.random.uniform([], 0, 1000, tf.int64, seed=5)  # noqa: E731
    return tf.data.Dataset.range(count).map(lambda x: x * 1000 + draw())


#: What follows the first ten elements that TensorFlow 2.21 gives from a saved position, with the
#: option `inject_prefetch` off: it saves what a prefetch holds.
RESTORED: dict[str, tuple[Callable[[], tf.data.Dataset], list[Any]]] = {
    "map": (lambda: drawing(40), [10135, 11676, 12578]),
    "flat_map": (
        lambda: drawing(40).flat_map(lambda x: tf.data.Dataset.from_tensors(x).repeat(2)),
        [5135, 5135, 6676],
    ),
    "inside": (
        lambda: tf.data.Dataset.range(3).flat_map(
            lambda x: drawing(5).map(lambda y: x * 10000 + y)
        ),
        [20135, 21676, 22578],
    ),
    "shuffle": (lambda: drawing(40).shuffle(3, seed=2), [12135, 8821, 14578]),
    "window": (
        lambda: drawing(40).window(3).flat_map(lambda window: window.batch(3)),
        [[30135, 31676, 32578], [33764, 34873, 35674], [36663, 37080, 38821]],
    ),
}


@pytest.mark.parametrize("name", RESTORED)
def test_random_numbers_begin_anew_at_a_position_that_is_saved_without_them(name: str) -> None:
    make, expected = RESTORED[name]
    options = tf.data.Options()
    policy = tf.data.experimental.ExternalStatePolicy.IGNORE
    options.experimental_external_state_policy = policy
    first, other = [iter(make().with_options(options)) for _ in range(2)]
    for _ in range(10):
        next(first)
    position = first._reader.save()
    for iterator in (other, first):  # what they did before has no effect
        next(iterator)
        iterator._reader.restore(position)
        assert [next(iterator).numpy().tolist() for _ in range(3)] == expected
