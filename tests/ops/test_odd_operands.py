"""What TensorFlow's kernels make of operands that they do not look at closely.

tests/test_bad_calls.py has one such call of each op; here are more, with TensorFlow 2.21's values.
"""

from __future__ import annotations

from typing import Any

import pytest

import graphwright as tf

raw = tf.raw_ops
NAN = float("nan")


def rows(*values: Any) -> Any:
    """Rows of indices."""
    return tf.constant(values, tf.int64)


def values_of(result: Any) -> list[Any]:
    """The values of all results."""
    return [part.numpy().tolist() for part in tf.nest.flatten(result)]


def test_axes_and_scalars_may_come_in_tensors_of_other_ranks() -> None:
    x = tf.constant([[1.0, 2.0]])
    assert values_of(raw.Sum(input=x, axis=[[0], [1]])) == [3.0]
    assert values_of(raw.Sum(input=1.0, axis=[[]])) == [1.0]
    with pytest.raises(tf.errors.InvalidArgumentError):
        raw.Sum(input=x, axis=[[0], [0]])
    text = raw.ReduceJoin(inputs=[["a", "b"], ["c", "d"]], reduction_indices=[[1], [0]])
    assert text.numpy() == b"abcd"
    pieces = raw.SplitV(value=[1.0, 2.0], size_splits=[1, 1], axis=[[[0]]], num_split=2)
    assert values_of(pieces) == [[1.0], [2.0]]
    with pytest.raises(tf.errors.InvalidArgumentError, match="split_dim"):
        raw.SplitV(value=[1.0, 2.0], size_splits=[1, 1], axis=[[0, 0]], num_split=2)
    with tf.GradientTape() as tape:
        tape.watch(x)
        total = tf.reduce_sum(x, axis=[[0]])
    assert values_of(tape.gradient(total, x)) == [[[1.0, 1.0]]]


def test_a_list_of_lists_of_axes_is_refused_where_shapes_are_inferred() -> None:
    with pytest.raises(ValueError, match="at most rank 1"):
        tf.function(lambda x: tf.reduce_sum(x, axis=[[0]]))(tf.constant([1.0]))


def test_repeated_indices_of_sums_of_sparse_tensors_pair_in_order() -> None:
    a, b, shape = rows([0, 0], [0, 0], [1, 1]), rows([0, 0], [1, 1], [1, 1]), rows(2, 2)
    first, second = tf.constant([1.0, 2.0, 3.0]), tf.constant([10.0, 20.0, 30.0])
    parts = {
        "a_indices": a,
        "a_values": first,
        "a_shape": shape,
        "b_indices": b,
        "b_values": second,
        "b_shape": shape,
    }
    every = [[0, 0], [0, 0], [1, 1], [1, 1]]
    found = values_of(raw.SparseAdd(**parts, thresh=0.0))
    assert found == [every, [11.0, 2.0, 23.0, 30.0], [2, 2]]
    assert values_of(raw.SparseSparseMaximum(**parts)) == [every, [10.0, 2.0, 20.0, 30.0]]
    g = tf.constant([1.0, 2.0, 3.0, 4.0])
    back = raw.SparseAddGrad(
        backprop_val_grad=g, a_indices=a, b_indices=b, sum_indices=rows(*every)
    )
    assert values_of(back) == [[1.0, 2.0, 3.0], [1.0, 3.0, 4.0]]


def test_indices_outside_of_a_sparse_tensor() -> None:
    operands = {
        "input_indices": rows([0, 0], [0, 5], [1, 1]),
        "input_values": tf.constant([1.0, 2.0, 4.0]),
        "input_shape": rows(2, 2),
    }
    assert values_of(raw.SparseReduceSum(**operands, reduction_axes=1)) == [[3.0, 4.0]]
    with pytest.raises(tf.errors.InternalError, match="write index of 5 "):
        raw.SparseReduceSum(**operands, reduction_axes=0)
    found = raw.SparseReduceMaxSparse(**operands, reduction_axes=0)
    assert values_of(found) == [[[0], [1], [5]], [1.0, 4.0, 2.0], [2]]
    moved = raw.SparseReshape(
        input_indices=rows([9, 0], [-1, 1]), input_shape=rows(2, 6), new_shape=rows(3, 4)
    )
    assert values_of(moved) == [[[13, 2], [-1, -1]], [3, 4]]


def test_what_is_not_a_number_is_compared_with_nothing() -> None:
    for least, most, expected in (
        (NAN, 1.0, [0.0, 1.0, -5.0]), (-1.0, NAN, [0.0, 5.0, -1.0]), (3.0, 1.0, [3.0, 3.0, 3.0]),
    ):  # fmt: skip
        clipped = raw.ClipByValue(t=[0.0, 5.0, -5.0], clip_value_min=least, clip_value_max=most)
        assert values_of(clipped) == [expected]
    search = {"sorted_inputs": [[1.0, 3.0, NAN]], "values": [[NAN, 5.0, 2.0]]}
    assert values_of(raw.LowerBound(**search)) == [[[0, 2, 1]]]
    assert values_of(raw.UpperBound(**search)) == [[[3, 3, 1]]]
    fitted, runs = raw.IsotonicRegression(input=[[2.0, NAN, 3.0, 2.5, 1.0]])
    assert runs.numpy().tolist() == [[0, 1, 2, 3, 4]]
    assert fitted.numpy()[0, 2:].tolist() == [3.0, 2.5, 1.0]


def test_one_matrix_that_is_not_finite_leaves_the_others() -> None:
    both = tf.stack([tf.eye(2), tf.constant([[1.0, NAN], [0.0, 1.0]])])
    s, u, v = tf.linalg.svd(both)
    assert s.numpy()[0].tolist() == [1.0, 1.0]
    for part in (s, u, v):
        assert tf.reduce_all(tf.math.is_nan(part[1]))
        assert not tf.reduce_any(tf.math.is_nan(part[0]))
    roots = tf.linalg.sqrtm(both)
    assert roots.numpy()[0].tolist() == [[1.0, 0.0], [0.0, 1.0]]
    assert tf.reduce_all(tf.math.is_nan(roots[1]))


def test_strings_have_distinct_slices_and_fingerprints_of_rows() -> None:
    x = tf.constant([["a", "b"], ["c", "d"], ["a", "b"]])
    y, places = raw.UniqueV2(x=x, axis=tf.constant([0], tf.int64))
    assert y.numpy().tolist() == [[b"a", b"b"], [b"c", b"d"]]
    assert places.numpy().tolist() == [0, 1, 0]
    each = [raw.Fingerprint(data=row, method="farmhash64") for row in x]
    whole = raw.Fingerprint(data=tf.stack(each), method="farmhash64")
    found = raw.Fingerprint(data=x, method="farmhash64")
    assert found.numpy().tolist() == whole.numpy().tolist()


def test_segments_may_be_numbered_in_16_bits_for_sums_alone() -> None:
    ids = tf.constant([0, 1, 1], tf.int16)
    data = tf.constant([1.0, 2.0, 3.0])
    for run in (lambda f: f, tf.function, tf.function(jit_compile=True)):
        assert run(lambda x: tf.math.unsorted_segment_sum(x, ids, 2))(data).numpy().tolist() == [
            1.0, 5.0,
        ]  # fmt: skip
    with pytest.raises(tf.errors.InvalidArgumentError, match="Tindices"):
        tf.math.unsorted_segment_max(data, ids, 2)
    with tf.GradientTape() as tape:
        tape.watch(data)
        total = tf.math.unsorted_segment_sum(data, ids, 2)
    assert tape.gradient(total, data).numpy().tolist() == [1.0, 1.0, 1.0]


@pytest.mark.parametrize("sort", [tf.sort, tf.argsort])
def test_a_sort_along_no_axis_is_refused_in_words(sort: Any) -> None:
    x = tf.constant([[2.0, 1.0]])
    for axis in ("a", None, [0]):
        with pytest.raises(ValueError, match="`axis` must be a constant scalar"):
            sort(x, axis=axis)
    for axis in (2, -3, tf.constant(5)):
        with pytest.raises(tf.errors.InvalidArgumentError, match="slice index"):
            sort(x, axis=axis)
    with pytest.raises(ValueError, match="slice index 2 of dimension 0 out of bounds"):
        tf.function(lambda: sort(x, axis=2))()
    assert sort(x, axis=1.5).numpy().tolist() == sort(x, axis=1).numpy().tolist()


@pytest.mark.parametrize("function", [tf.stack, tf.add_n, tf.reduce_sum, tf.shape])
def test_a_list_that_contains_itself_is_refused_with_the_call(function: Any) -> None:
    """Others may give these functions a meaning, which is looked for in the list's items."""
    endless: list[Any] = []
    endless.append(endless)
    with pytest.raises(ValueError, match=rf"contains itself(.|\n)*in tf\.{function.__name__}\("):
        function(endless)


@pytest.mark.parametrize("compiled", [None, False, True])
@pytest.mark.parametrize("rank", [2, 3])
def test_a_convolution_of_no_channels_says_so(rank, compiled):
    x, filters = tf.ones([1, *[4] * rank, 0]), tf.ones([*[2] * rank, 2, 3])
    run = tf.nn.conv2d if rank == 2 else tf.nn.conv3d
    call = lambda x: run(x, filters, [1] * (rank + 2), "SAME")  # noqa: E731
    if compiled is not None:
        open_dims = tf.TensorSpec([None] * (rank + 2))
        call = tf.function(call, input_signature=[open_dims], jit_compile=compiled)
    with pytest.raises(tf.errors.InvalidArgumentError, match="at least one group: 0 groups of 2"):
        call(x)


def test_sizes_of_matrices_of_diagonals_are_scalars() -> None:
    def diag(rows: Any) -> Any:
        return raw.MatrixDiagV3(
            diagonal=[1.0, 2.0], k=0, num_rows=rows, num_cols=2, padding_value=0.0
        )

    assert values_of(diag(2)) == [[[1.0, 0.0], [0.0, 2.0]]]
    with pytest.raises(tf.errors.InvalidArgumentError, match="num_rows must be a scalar"):
        diag([2])


def test_strings_of_complex_numbers_are_question_marks() -> None:
    x = tf.constant([[1 + 2j, 2, 3], [4, 5, 6]], tf.complex64)
    texts = {2: b"[? ?...]", 6: b"[? ? ? ? ? ?]", -1: b"[? ? ? ? ? ?]"}
    assert {n: tf.strings.format("{}", x, summarize=n).numpy() for n in texts} == texts
    assert tf.strings.format("{}", x[0, 0]).numpy() == b"?"
    quantized = tf.quantization.quantize([1.0, 2.0], 0.0, 255.0, tf.quint8)[0]
    assert tf.strings.format("{}", quantized).numpy() == b"[1 2]"


def test_ngrams_of_no_words_have_no_padding() -> None:
    for data, shape in ((tf.constant([], tf.string), [0]), (tf.zeros([2, 0], tf.string), [2, 0])):
        ngrams = tf.strings.ngrams(data, 2, pad_values=("<", ">"))
        assert ngrams.shape == shape
    some = tf.strings.ngrams(tf.ragged.constant([[], ["a"]]), 2, "", ("<", ">"))
    assert some.to_list() == [[b"<>"], [b"<a", b"a>"]]


@pytest.mark.parametrize("size", [0, 1])
def test_a_cosine_transform_of_type_1_needs_two_numbers(size: int) -> None:
    for transform in (tf.signal.dct, tf.signal.idct):
        with pytest.raises(ValueError, match="Type-I DCT requires the dimension to be greater"):
            transform(tf.ones([size]), type=1)


@pytest.mark.parametrize("ids", [[[1.0], [0.0, 2.0]], [[True], []]])
def test_ragged_ids_of_embeddings_are_indices(ids: list[Any]) -> None:
    with pytest.raises(ValueError, match="The values contained by the inputs have type"):
        tf.nn.embedding_lookup(tf.ones([3, 2]), tf.ragged.constant(ids))


def test_the_tangent_of_a_segments_greatest_is_a_tensor() -> None:
    x = tf.constant([[1.0, 2.0], [1.0, 1.0], [0.0, 4.0]])
    with tf.autodiff.ForwardAccumulator(x, x + 1.0) as accumulator:
        y = tf.math.segment_max(x, [0, 0, 2])
    tangent = accumulator.jvp(y)
    assert isinstance(tangent, tf.Tensor)
    assert tangent.numpy().tolist() == [[2.0, 3.0], [0.0, 0.0], [1.0, 5.0]]


@pytest.mark.parametrize(("labels", "counts"), [([[1.0]], [1]), ([[True]], [1]), ([[1]], [1.5])])
def test_labels_of_sequences_are_integers(labels: Any, counts: Any) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="not in the list of allowed values"):
        tf.nn.ctc_loss(labels, tf.zeros([2, 1, 3]), counts, [2])


def test_boxes_are_drawn_on_grey_or_coloured_images() -> None:
    for channels in (0, 2, 5):
        with pytest.raises(tf.errors.InvalidArgumentError, match="with 1, 3 or 4 channels"):
            tf.image.draw_bounding_boxes(
                tf.zeros([1, 2, 2, channels]), [[[0.0, 0.0, 1.0, 1.0]]], [[1.0] * 5]
            )
    assert tf.image.draw_bounding_boxes(
        tf.zeros([1, 2, 2, 3]), [[[0.0, 0.0, 1.0, 1.0]]], [[1.0] * 3]
    ).shape == [1, 2, 2, 3]
