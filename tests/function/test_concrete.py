"""What concrete functions tell of themselves."""

from __future__ import annotations

import pytest

import graphwright as tf
from graphwright.op.interpreter import activate
from graphwright.trace.numerics import NumericsChecker


def test_variables_of_branches_and_inner_functions_in_the_order_of_their_use():
    v = tf.Variable(1.0, name="v")
    w = tf.Variable(2.0, trainable=False, name="w")
    u = tf.Variable(3.0, name="u")
    inner = tf.function(lambda: u * 2)

    @tf.function
    def f(x):
        y = v * x
        if x > 0:
            y += w
        return y + inner()

    concrete = f.get_concrete_function(tf.TensorSpec([]))
    for of in (concrete, concrete.graph):
        assert [id(each) for each in of.variables] == [id(v), id(w), id(u)]
        assert [id(each) for each in of.trainable_variables] == [id(v), id(u)]


def test_variables_given_as_arguments_are_not_among_them():
    v, u = tf.Variable(1.0), tf.Variable(2.0)
    f = tf.function(lambda z, x: z * x + v)
    assert [id(each) for each in f.get_concrete_function(u, 1.0).variables] == [id(v)]


def test_signatures_and_messages():
    concrete = tf.function(lambda x, y=2: x + y).get_concrete_function(tf.TensorSpec([None]))
    spec = "TensorSpec(shape=(None,), dtype=tf.float32, name=None)"
    line = concrete.pretty_printed_signature(verbose=False)
    assert line == f"(x: {spec}, y: Literal[2]) -> {spec}"
    assert str(concrete) == f"ConcreteFunction {concrete.pretty_printed_signature()}"
    message = concrete.function_def
    assert message.signature.name.encode() == concrete.name
    assert [node.op for node in message.node_def] == ["Const", "AddV2", "Identity"]


def test_the_signature_has_the_specs_of_the_arguments_in_their_structure():
    def f(x, parts, n=3, *, k):
        return x + parts["a"] + k

    spec = tf.TensorSpec([None, 2], tf.int32)
    concrete = tf.function(f).get_concrete_function(
        spec, {"a": tf.TensorSpec([2], tf.int32, "named"), "b": (1, "t")}, k=tf.constant([1, 2])
    )
    args, kwargs = concrete.structured_input_signature
    assert args == (
        tf.TensorSpec([None, 2], tf.int32, "x"),
        {"a": tf.TensorSpec([2], tf.int32, "named"), "b": (1, "t")},
        3,
    )
    assert kwargs == {"k": tf.TensorSpec([2], tf.int32, "k")}
    assert concrete.output_dtypes is tf.int32
    assert concrete.output_shapes == [None, 2]
    assert [t.shape.as_list() for t in concrete.inputs] == [[None, 2], [2], [2]]


def test_names_are_those_of_functions_and_their_numbers():
    def doubled(x):
        return x * 2

    one, two = [tf.function(doubled).get_concrete_function(tf.TensorSpec([])) for _ in range(2)]
    for concrete in (one, two):
        prefix, _, number = concrete.name.rpartition(b"_")
        assert prefix == b"__inference_doubled"
        assert number.isdigit()
        assert concrete.inference_fn.name == concrete.name
        assert repr(concrete.inference_fn).startswith(
            f"<AtomicFunction> {concrete.name.decode()}(x: "
        )
    assert one.name != two.name


def test_an_atomic_function_takes_flat_tensors():
    outside = tf.ones([200])
    plain = tf.function(lambda x, y: (x + y["a"], x)).get_concrete_function(
        tf.TensorSpec([]), {"a": tf.TensorSpec([])}
    )
    found = plain.inference_fn(1.0, tf.constant(2.0))
    assert [float(t) for t in found] == [3.0, 1.0]
    capturing = tf.function(lambda x: x + outside).get_concrete_function(tf.TensorSpec([]))
    atomic = capturing.inference_fn
    with pytest.raises(ValueError, match="defines captured inputs"):
        atomic(1.0)
    assert atomic.call_with_captures([1.0], {}, [tf.zeros([200])]).numpy().tolist() == [1.0] * 200


def test_calls_are_by_the_signature_or_by_flat_tensors():
    f = tf.function(lambda x, parts, n=2: x + parts["a"] * n)
    spec = tf.TensorSpec([2])
    concrete = f.get_concrete_function(spec, {"a": spec})
    x, y = tf.constant([1.0, 2.0]), tf.constant([3.0, 4.0])
    for result in (
        concrete(x, {"a": y}), concrete(x, parts={"a": y}, n=2), concrete(x=x, parts={"a": y}),
        concrete(x, y), concrete([1.0, 2.0], {"a": [3.0, 4.0]}),
    ):  # fmt: skip
        assert result.numpy().tolist() == [7.0, 10.0]


@pytest.mark.parametrize(
    ("args", "kwargs", "words"),
    [
        (([1.0],), {}, r"Can not cast TensorSpec\(shape=\(1,\).* to TensorSpec\(shape=\(2,\)"),
        (([1.0, 2.0], 4), {}, "Can not cast 4 to Literal"),
        (([1.0, 2.0], 3, 5), {}, "too many positional arguments"),
        (([1.0, 2.0],), {"x": 1}, "multiple values for argument 'x'"),
        (([1.0, 2.0],), {"x": 1}, "got two values for 'x'"),
        (([1.0, 2.0],), {"z": 1}, "got an unexpected keyword argument 'z'"),
        ((), {}, "missing a required argument: 'x'"),
        ((), {}, "missing required arguments: x"),
    ],
)
def test_calls_that_do_not_fit_say_how(args, kwargs, words):
    concrete = tf.function(lambda x, n=3: x * n).get_concrete_function(tf.TensorSpec([2]))
    assert concrete([1.0, 2.0], 3).numpy().tolist() == [3.0, 6.0]
    with pytest.raises(TypeError, match=words):
        concrete(*args, **kwargs)


def test_a_tensor_of_another_dtype_is_refused_with_the_op():
    concrete = tf.function(lambda x: x + 1.0).get_concrete_function(tf.TensorSpec([]))
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        concrete(tf.constant(1))
    assert caught.value.node_def is caught.value.op is None
    name = concrete.name.decode()
    assert (
        f"cannot compute {name} as input #0(zero-based) was expected to be a float tensor "
        f"but is a int32 tensor [Op:{name}]" in str(caught.value)
    )


class Watching(NumericsChecker):
    """An interpreter that looks at calls as a whole."""

    def watch_call(self, concrete, tensors):
        """Says what was called instead."""
        return concrete, [float(t) for t in tensors]


@pytest.mark.parametrize("direct", [False, True])
def test_a_watcher_is_asked_for_calls_unless_another_interpreter_is_below(direct):
    f = tf.function(lambda x: x * x)
    x = tf.constant(3.0)
    concrete = f.get_concrete_function(x)
    called = concrete if direct else f
    assert called(x) == 9.0
    with activate(Watching(None)):
        assert called(x) == (concrete, [3.0])
    with activate(Watching(NumericsChecker(None))):
        assert called(x) == 9.0
    assert called(x) == 9.0


@pytest.mark.parametrize(
    ("spec", "value", "wrong"),
    [
        (
            tf.SparseTensorSpec(None, tf.float32),
            lambda: tf.sparse.from_dense([[0.0, 2.0], [1.0, 0.0]]),
            lambda: tf.sparse.from_dense([[0, 2]]),
        ),
        (
            tf.RaggedTensorSpec([None, None], tf.float32),
            lambda: tf.ragged.constant([[2.0], [], [1.0]]),
            lambda: tf.ragged.constant([[2], []]),
        ),
        (
            tf.IndexedSlicesSpec([None], tf.float32, tf.int32),
            lambda: tf.IndexedSlices(tf.constant([2.0, 1.0]), tf.constant([0, 1])),
            lambda: tf.constant([2.0]),
        ),
    ],
)
def test_a_trace_of_a_wider_composite_takes_narrower_ones(spec, value, wrong):
    concrete = tf.function(lambda x: x.values * 2.0).get_concrete_function(spec)
    assert concrete(value()).numpy().tolist() == [4.0, 2.0]
    with pytest.raises(TypeError, match="Can not cast"):
        concrete(wrong())
