"""Tables: what TensorFlow's give (written down from 2.21), in functions, in checkpoints."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import graphwright as tf

INT = tf.int64


def integers(*values: int) -> Any:
    return tf.constant(values, INT)


def words(*values: str) -> Any:
    return tf.constant(values)


@pytest.fixture
def letters() -> Any:
    init = tf.lookup.KeyValueTensorInitializer(["a", "b"], [1, 2])
    return tf.lookup.StaticHashTable(init, -1)


def test_a_static_table_finds_what_it_has(letters: Any) -> None:
    assert letters.lookup(words("a", "z")).numpy().tolist() == [1, -1]
    assert letters[tf.constant("b")].numpy() == 2
    assert (letters.key_dtype, letters.value_dtype) == (tf.string, tf.int32)
    assert letters.size().numpy() == 2
    assert letters.default_value.numpy() == -1
    keys, values = letters.export()
    assert dict(zip(keys.numpy().tolist(), values.numpy().tolist())) == {b"a": 1, b"b": 2}
    assert letters.lookup(tf.zeros([0, 3], tf.string)).shape == (0, 3)


def test_sparse_and_ragged_keys_keep_their_form(letters: Any) -> None:
    sparse = letters.lookup(tf.sparse.from_dense([["a", ""], ["", "q"]]))
    assert tf.sparse.to_dense(sparse).numpy().tolist() == [[1, 0], [0, -1]]
    ragged = letters.lookup(tf.ragged.constant([["a", "b"], [], ["x"]]))
    assert ragged.to_list() == [[1, 2], [], [-1]]


def test_misuse_is_refused(letters: Any, tmp_path: Path) -> None:
    init = tf.lookup.KeyValueTensorInitializer
    table = tf.lookup.StaticHashTable
    with pytest.raises(TypeError, match=r"Dtype of argument `keys` must be tf.string"):
        letters.lookup(tf.constant([1]))
    with pytest.raises(TypeError):
        table(init(["a"], [1]), "x")
    with pytest.raises(tf.errors.FailedPreconditionError, match="Key a has 1 and trying to add"):
        table(init(["a", "a"], [1, 2]), 0)
    assert table(init(["a", "a"], [1, 1]), 0).size().numpy() == 1
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"Expected shape \[1\] for value"):
        table(init(["a"], [1, 2]), 0)
    changing = tf.lookup.experimental.MutableHashTable(INT, tf.float32, [0.0, 0.0])
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"Expected shape \[1, 2\]"):
        changing.insert(integers(1), [1.0])
    with pytest.raises(TypeError):
        changing.remove(words("a"))
    with pytest.raises(ValueError, match="num_oov_buckets"):
        tf.lookup.StaticVocabularyTable(None, 0)
    with pytest.raises(TypeError, match="value_dtype"):
        tf.lookup.StaticVocabularyTable(init(["a"], [1]), 1)
    with pytest.raises(TypeError, match="key_dtype"):
        tf.lookup.StaticVocabularyTable(init([1], integers(1)), 1)


def test_a_table_changes() -> None:
    table = tf.lookup.experimental.MutableHashTable(tf.string, INT, -1)
    table.insert(["a", "b"], [1, 2])
    table.insert(["a", "c"], [5, 3])
    assert table.lookup(["a", "b", "q"]).numpy().tolist() == [5, 2, -1]
    defaults = integers(7, 8)
    assert table.lookup(["a", "q"], dynamic_default_values=defaults).numpy().tolist() == [5, 8]
    table.remove(["a", "nothing"])
    assert table.size().numpy() == 2
    table.insert(words(*map(str, range(100))), tf.range(100, dtype=INT))
    assert table.size().numpy() == 102
    assert table.lookup(words("99", "b", "a")).numpy().tolist() == [99, 2, -1]


def test_values_may_have_axes() -> None:
    table = tf.lookup.experimental.MutableHashTable(INT, tf.float32, [0.0, 0.0])
    table.insert(integers(1), [[1.0, 2.0]])
    assert table.lookup([[1, 2]]).numpy().tolist() == [[[1, 2], [0, 0]]]
    found = table.lookup(integers(1, 2), tf.constant([5.0, 6.0]))
    assert found.numpy().tolist() == [[1, 2], [5, 6]]
    assert table.export()[1].numpy().tolist() == [[1, 2]]


def test_a_dense_table_refuses_its_marks() -> None:
    kind = tf.lookup.experimental.DenseHashTable
    table = kind(INT, INT, -1, empty_key=0, deleted_key=-1)
    table.insert(integers(1, 2), integers(10, 20))
    table.insert_or_assign(integers(2), integers(21))
    table.erase(integers(1))
    assert table.lookup(integers(1, 2)).numpy().tolist() == [-1, 21]
    with pytest.raises(tf.errors.InvalidArgumentError, match="Using the empty_key"):
        table.lookup(integers(0))
    with pytest.raises(tf.errors.InvalidArgumentError, match="Using the deleted_key"):
        table.insert(integers(-1), integers(1))
    with pytest.raises(tf.errors.InvalidArgumentError, match="cannot be equal"):
        kind(INT, INT, -1, empty_key=0, deleted_key=0)


def test_a_static_table_is_of_no_use_before_it_is_filled() -> None:
    late = tf.lookup.StaticHashTable(Nothing(), -1)
    for lookup in (late.lookup, tf.function(late.lookup)):
        with pytest.raises(tf.errors.FailedPreconditionError, match="Table not initialized"):
            lookup(words("a"))
    with pytest.raises(tf.errors.AbortedError, match="HashTable is not initialized"):
        late.export()
    assert late.size().numpy() == 0
    empty = tf.lookup.KeyValueTensorInitializer(tf.zeros([0], tf.string), tf.zeros([0], INT))
    assert tf.lookup.StaticHashTable(empty, -1).lookup(words("a")).numpy() == [-1]


def test_words_beyond_the_vocabulary_get_numbers() -> None:
    init = tf.lookup.KeyValueTensorInitializer(["a", "b"], integers(0, 1))
    table = tf.lookup.StaticVocabularyTable(init, 3)
    found = table.lookup(words("a", "b", "x", "y", "zebra", "q"))
    assert found.numpy().tolist() == [0, 1, 4, 4, 4, 4]
    assert table.size().numpy() == 5
    alone = tf.lookup.StaticVocabularyTable(None, 2)
    assert alone.lookup(words("a", "b")).numpy().tolist() == [1, 0]
    numbers = tf.lookup.KeyValueTensorInitializer(integers(5, 6), integers(0, 1))
    for dtype in (tf.int64, tf.int32):
        table = tf.lookup.StaticVocabularyTable(numbers, 3, lookup_key_dtype=dtype)
        found = table.lookup(tf.constant([5, 6, 7, 8, 9], dtype))
        assert found.numpy().tolist() == [0, 1, 3, 3, 4]


FILE = "emerson 10\nlake 20\npalmer 30\n"


def test_text_files_fill_tables(tmp_path: Path) -> None:
    path = tmp_path / "words.txt"
    path.write_text(FILE, encoding="utf-8")
    index, init = tf.lookup.TextFileIndex, tf.lookup.TextFileInitializer

    def table(default: Any, *args: Any, **options: Any) -> Any:
        return tf.lookup.StaticHashTable(init(str(path), *args, **options), default)

    columns = table(-1, tf.string, 0, INT, 1, delimiter=" ")
    assert columns.lookup(words("lake", "x")).numpy().tolist() == [20, -1]
    lines = table(-1, tf.string, index.WHOLE_LINE, INT, index.LINE_NUMBER)
    assert lines.lookup(words("lake 20", "x")).numpy().tolist() == [1, -1]
    turned = table("none", INT, index.LINE_NUMBER, tf.string, index.WHOLE_LINE)
    assert turned.lookup(integers(0, 5)).numpy().tolist() == [b"emerson 10", b"none"]
    moved = table(-1, tf.string, 0, INT, -1, delimiter=" ", value_index_offset=3)
    assert moved.lookup(words("palmer")).numpy().tolist() == [5]
    assert table(-1, tf.string, 0, INT, 1, vocab_size=2, delimiter=" ").size().numpy() == 2
    for options, error in (
        ((tf.string, 0, INT, 1, 5, " "), "expected 5 but got 3"),
        ((tf.string, 0, INT, 5, None, " "), "expected at least 6 got 2"),
        ((tf.string, 0, INT, 0, None, " "), "not all of int64"),
    ):
        with pytest.raises(tf.errors.InvalidArgumentError, match=error):
            table(-1, *options)
    with pytest.raises(tf.errors.NotFoundError):
        tf.lookup.StaticHashTable(init("/no/file", tf.string, 0, INT, 1), -1)
    for arguments in (
        ("", tf.string, 0, INT, 1),
        (str(path), tf.string, index.LINE_NUMBER, INT, 1),
        (str(path), tf.string, -3, INT, 1),
        (str(path), tf.float32, index.WHOLE_LINE, INT, 1),
        (str(path), tf.string, 0, INT, 1, 0),
    ):
        with pytest.raises(ValueError, match=r"filename|_dtype|_index|vocab_size"):
            init(*arguments)


@pytest.mark.parametrize(
    ("content", "dtype", "words"),
    [
        ("a false\n", tf.bool, "data type bool not supported"),
        ("a 1_0\n", tf.int64, "not all of int64"),
        ("a 1_0\n", tf.float32, "not all of float32"),
        ("a 99999999999999999999\n", tf.int64, "not all of int64"),
        ("a 3000000000\n", tf.int32, "not all of int32"),
        ("a 1\n\nb 2\n", tf.int64, "empty line found: line 2"),
    ],
)
def test_odd_text_files_are_refused(
    tmp_path: Path, content: str, dtype: tf.DType, words: str
) -> None:
    """As in TensorFlow, which refuses each of these."""
    path = tmp_path / "words.txt"
    path.write_text(content, encoding="utf-8")
    init = tf.lookup.TextFileInitializer(str(path), tf.string, 0, dtype, 1, delimiter=" ")
    with pytest.raises(tf.errors.InvalidArgumentError, match=words):
        tf.lookup.StaticHashTable(init, tf.zeros([], dtype))


def test_a_delimiter_is_one_byte() -> None:
    for delimiter in ("", "||", "\u00e9"):
        with pytest.raises(tf.errors.InvalidArgumentError, match="only 1 char"):
            tf.lookup.TextFileInitializer("words.txt", tf.string, 0, INT, 1, delimiter=delimiter)


def test_functions_read_and_change_tables(letters: Any) -> None:
    counts = tf.lookup.experimental.MutableHashTable(tf.string, INT, 0)

    @tf.function
    def count(keys: Any) -> Any:
        for key in keys:
            counts.insert(key, counts.lookup(key) + 1)
        return counts.size(), letters.lookup(keys)

    size, found = count(words("a", "b", "a", "c"))
    assert size.numpy() == 3
    assert found.numpy().tolist() == [1, 2, 1, -1]
    count(words("a", "a", "a", "a"))
    assert counts.lookup(words("a", "b")).numpy().tolist() == [6, 1]
    assert count.experimental_get_tracing_count() == 1
    concrete = count.get_concrete_function(tf.TensorSpec([4], tf.string))
    assert concrete.structured_outputs[1].shape == (4,)


def test_tables_made_inside_functions_are_made_once(letters: Any) -> None:
    made = []

    @tf.function
    def find(keys: Any) -> Any:
        if not made:
            init = tf.lookup.KeyValueTensorInitializer(["k"], [3.5])
            made.append(tf.lookup.StaticHashTable(init, 0.0))
        return made[0].lookup(keys)

    assert find(words("k", "z")).numpy().tolist() == [3.5, 0.0]


def test_checkpoints_hold_tables(tmp_path: Path) -> None:
    names = tf.lookup.experimental.MutableHashTable(tf.string, tf.string, "-")
    numbers = tf.lookup.experimental.DenseHashTable(INT, tf.float32, [0.0, 0.0], 0, -1)
    names.insert(["a", "", "é"], ["x", "yy", "z"])
    numbers.insert(integers(4, 5), [[1.0, 2.0], [3.0, 4.0]])
    checkpoint = tf.train.Checkpoint(names=names, numbers=numbers)
    path = checkpoint.save(str(tmp_path / "ckpt"))
    names.insert(["b"], ["new"])
    names.remove(["a"])
    numbers.remove(integers(5))
    checkpoint.restore(path).assert_consumed()
    assert names.lookup(["a", "b", "", "é"]).numpy().tolist() == [b"x", b"-", b"yy", b"z"]
    assert numbers.lookup(integers(5, 9)).numpy().tolist() == [[3, 4], [0, 0]]
    fresh = tf.lookup.experimental.MutableHashTable(tf.string, tf.string, "-")
    tf.train.Checkpoint(names=fresh).restore(path).expect_partial()
    assert fresh.size().numpy() == 3


@given(st.lists(st.binary(max_size=9), unique=True))
def test_words_of_a_table_come_back_from_a_checkpoint(texts: list[bytes]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        table = tf.lookup.experimental.MutableHashTable(tf.string, tf.string, "none")
        if texts:
            table.insert(tf.constant(texts), tf.constant(texts[::-1]))
        path = tf.train.Checkpoint(table=table).write(f"{folder}/checkpoint")
        again = tf.lookup.experimental.MutableHashTable(tf.string, tf.string, "none")
        tf.train.Checkpoint(table=again).restore(path).assert_existing_objects_matched()
        pairs = [dict(zip(*[part.numpy().tolist() for part in t.export()])) for t in (table, again)]
        assert pairs[0] == pairs[1] == dict(zip(texts, texts[::-1]))


class Nothing(tf.lookup.KeyValueTensorInitializer):
    """An initializer of a program, as Keras has one: its dtypes are names."""

    def __init__(self):
        pass

    key_dtype, value_dtype = "string", "int64"

    def initialize(self, table):
        pass


def test_dtypes_of_a_programs_own_initializer_may_be_names():
    table = tf.lookup.StaticHashTable(Nothing(), 7)
    assert (table.key_dtype, table.value_dtype) == (tf.string, tf.int64)
    assert tf.lookup.StaticVocabularyTable(Nothing(), 1).key_dtype is tf.string


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["insert", "remove", "look"]),
            st.lists(st.integers(-4, 12) | st.sampled_from([2**63 - 1, -(2**63), 5000])),
        ),
        max_size=8,
    ),
    st.sampled_from([tf.int32, tf.int64]),
)
def test_many_numbers_are_looked_up_as_few_are(steps: list[Any], dtype: Any) -> None:
    table = tf.lookup.experimental.MutableHashTable(dtype, INT, -1)
    expected: dict[int, int] = {}
    for number, (step, keys) in enumerate(steps):
        if dtype is tf.int32:
            keys = [max(min(key, 2**31 - 1), -(2**31)) for key in keys]
        if step == "insert":
            table.insert(tf.constant(keys, dtype), tf.fill([len(keys)], tf.constant(number, INT)))
            expected.update(dict.fromkeys(keys, number))
        elif step == "remove":
            table.remove(tf.constant(keys, dtype))
            for key in keys:
                expected.pop(key, None)
        many = [[*range(-5, 14), *keys]] * 8
        values = table.lookup(tf.constant(many, dtype)).numpy().tolist()
        assert values == [[expected.get(key, -1) for key in row] for row in many]


@pytest.mark.parametrize("missing", [0, 3, 90])
def test_many_words_are_looked_up_as_few_are(letters: Any, missing: int) -> None:
    keys = ["a", "b"] * 50 + ["z"] * missing
    for _ in range(3):
        values = letters.lookup(words(*keys)).numpy().tolist()
        assert values == [1, 2] * 50 + [-1] * missing
