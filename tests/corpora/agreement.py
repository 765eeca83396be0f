"""Programs that this package once got wrong, whose outcomes TensorFlow recorded.

Each is a function of the package. `tools/record_agreement_goldens.py` records what it comes to.
"""

# ruff: noqa: B007, B012, C416, F841, SIM108, SIM114 - they are what people write

import copy
import logging
import tempfile
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
from support.gif_files import FILES


def gradient_of_a_branch_to_a_constant(tf: Any) -> Any:
    v = tf.constant(5.0)

    @tf.function
    def f(x):
        return tf.gradients(tf.cond(x > 0, lambda: x * v, lambda: x), [v])

    return f(tf.constant(2.0))


def gradient_of_a_loop_to_a_constant(tf: Any) -> Any:
    v = tf.constant(5.0)

    @tf.function
    def f(x):
        r = tf.while_loop(lambda i, y: i < 2, lambda i, y: (i + 1, y * v), [tf.constant(0), x])
        return tf.gradients(r[1], [v])

    return f(tf.constant(2.0))


def gradient_of_a_call_to_a_constant(tf: Any) -> Any:
    v = tf.constant(5.0)

    @tf.function
    def g(x):
        return x * v

    @tf.function
    def f(x):
        return tf.gradients(g(x), [v])

    return f(tf.constant(2.0))


def gradient_of_a_compiled_branch_to_a_constant(tf: Any) -> Any:
    v = tf.constant(5.0)

    @tf.function(jit_compile=True)
    def f(x):
        return tf.gradients(tf.cond(x > 0, lambda: x * v, lambda: x), [v])

    return f(tf.constant(2.0))


def gradient_of_a_switch_to_a_constant(tf: Any) -> Any:
    v = tf.constant(5.0)

    @tf.function
    def f(x):
        return tf.gradients(
            tf.switch_case(tf.cast(x, tf.int32), [lambda: x, lambda: x * v, lambda: v * x * x]), [v]
        )

    return f(tf.constant(2.0))


def gradient_of_maps_to_a_constant(tf: Any) -> Any:
    v = tf.constant(5.0)

    @tf.function
    def f(x):
        return (
            tf.gradients(tf.map_fn(lambda t: t * v, x), [v]),
            tf.gradients(tf.scan(lambda a, t: a + t * v, x), [v]),
        )

    return f(tf.constant([2.0, 3.0]))


def checkpoint_of_no_trackable(tf: Any) -> Any:

    class Held:
        pass

    d = tempfile.mkdtemp()
    o = Held()
    o.w = tf.Variable(1.0)
    p = tf.train.Checkpoint(model=o).save(d + "/c")
    return sorted((n for n, _ in tf.train.list_variables(p)))


def checkpoint_of_tensors(tf: Any) -> Any:

    class Held(tf.Module):
        def _serialize_to_tensors(self):
            return {"k": tf.constant(3.0)}

        def _restore_from_tensors(self, t):
            self.got = t["k"]

    d = tempfile.mkdtemp()
    o = Held()
    p = tf.train.Checkpoint(m=o).write(d + "/c")
    return sorted((n for n, _ in tf.train.list_variables(p)))


def checkpoint_written(tf: Any) -> Any:
    d = tempfile.mkdtemp()
    p = tf.train.Checkpoint(v=tf.Variable(1.0)).write(d + "/c")
    return sorted((n for n, _ in tf.train.list_variables(p)))


def tensordot_beyond_the_axes(tf: Any) -> Any:
    return tf.tensordot(tf.ones([2, 3]), tf.ones([3, 2]), axes=[[5], [0]])


def tensordot_beyond_the_axes_traced(tf: Any) -> Any:
    return tf.function(lambda a, b: tf.tensordot(a, b, axes=[[5], [0]]))(
        tf.ones([2, 3]), tf.ones([3, 2])
    )


def quantize_last_axis(tf: Any) -> Any:
    return tf.quantization.quantize_and_dequantize_v2(
        tf.constant([[1.0, 2.0, 3.0], [10.0, 20.0, 30.0]]), 0.0, 0.0, range_given=False, axis=-1
    )


def ctc_loss_blank_among_labels(tf: Any) -> Any:
    return tf.nn.ctc_loss(
        labels=tf.constant([[1, 0, 2, 0]]),
        logits=tf.ones([6, 1, 3]),
        label_length=tf.constant([4]),
        logit_length=tf.constant([6]),
        logits_time_major=True,
        blank_index=0,
    )


def ctc_loss_blanks(tf: Any) -> Any:
    return (
        tf.nn.ctc_loss(
            labels=tf.constant([[1, 0, 0, 0]]),
            logits=tf.ones([6, 1, 3]),
            label_length=tf.constant([1]),
            logit_length=tf.constant([6]),
            logits_time_major=True,
            blank_index=0,
        ),
        tf.nn.ctc_loss(
            labels=tf.constant([[1, 2, 2, 0]]),
            logits=tf.ones([6, 1, 3]),
            label_length=tf.constant([4]),
            logit_length=tf.constant([6]),
            logits_time_major=True,
            blank_index=2,
        ),
    )


def scan_over_nothing(tf: Any) -> Any:
    return tf.scan(lambda a, x: a + x, tf.zeros([0, 2]), initializer=tf.zeros([2])).shape


def saturate_cast_of_infinity(tf: Any) -> Any:
    out = []
    for s in (tf.float16, tf.bfloat16, tf.float32, tf.float64):
        for d in (tf.float16, tf.bfloat16, tf.float32, tf.float64):
            out.append(
                float(tf.cast(tf.saturate_cast(tf.constant(float("inf"), s), d), tf.float64))
            )
            out.append(
                float(tf.cast(tf.saturate_cast(tf.constant(-float("inf"), s), d), tf.float64))
            )
    return out


def variable_on_read(tf: Any) -> Any:
    v = tf.Variable(1.0, synchronization=tf.VariableSynchronization.ON_READ)
    w = copy.deepcopy(v)
    return (v.trainable, str(w.synchronization), w.trainable)


def batch_jacobian_not_connected(tf: Any) -> Any:
    x = tf.ones([2, 3])
    with tf.GradientTape(persistent=True) as t:
        t.watch(x)
        y = tf.ones([2, 4])
    return (t.batch_jacobian(y, x), t.jacobian(y, x))


def gradients_of_gathers(tf: Any) -> Any:
    out = []
    x = tf.ones([4, 2])
    for g in (
        lambda x: tf.gather(x, [1, 1]),
        lambda x: tf.gather_nd(x, [[1], [2]]),
        lambda x: tf.gather(x * 2.0, [1, 1]),
        lambda x: tf.nn.embedding_lookup(x, [1, 1]),
    ):
        with tf.GradientTape() as t:
            t.watch(x)
            y = tf.reduce_sum(g(x))
        out.append(type(t.gradient(y, x)).__name__)
    return out


def constant_too_large(tf: Any) -> Any:
    return tf.constant(1e300)


def constants_too_large(tf: Any) -> Any:
    return tf.constant([1.0, 1e300])


def converted_too_large(tf: Any) -> Any:
    return (tf.convert_to_tensor(1e300), tf.constant(1e300, tf.float16))


def product_with_too_large(tf: Any) -> Any:
    return tf.constant(1.0) * 1e300


def product_with_too_large_traced(tf: Any) -> Any:
    return tf.function(lambda x: x * 1e300)(tf.constant(1.0))


def unravel_index_too_large(tf: Any) -> Any:
    return tf.unravel_index(2**40, [2, 3])


def linspace_of_fewer_than_none(tf: Any) -> Any:
    return tf.linspace(0.0, 1.0, tf.constant(-1))


def linspace_of_fewer_than_none_traced(tf: Any) -> Any:
    return tf.function(lambda n: tf.linspace(0.0, 1.0, n))(tf.constant(-1))


def segment_mean_of_matrices_of_indices(tf: Any) -> Any:
    return tf.sparse.segment_mean(tf.ones([3, 2]), tf.constant([[0, 1]]), tf.constant([[0, 0]]))


def scatter_min_at_a_scalar(tf: Any) -> Any:
    return tf.tensor_scatter_nd_min(tf.ones([3]), tf.constant(1), tf.constant(0.0))


def scatter_min_at_a_vector(tf: Any) -> Any:
    return tf.tensor_scatter_nd_min(tf.ones([3]), tf.constant([1]), tf.constant([0.0]))


def attribute_list_for_bool(tf: Any) -> Any:
    return tf.cumsum(tf.constant([1, 2]), exclusive=[1, 2])


def attribute_text_for_bool(tf: Any) -> Any:
    return tf.linalg.matmul(tf.ones([2, 2]), tf.ones([2, 2]), transpose_a="yes")


def attribute_int_for_bool(tf: Any) -> Any:
    return tf.cumsum(tf.constant([1, 2]), exclusive=1)


def with_in_a_loop(tf: Any) -> Any:
    v = tf.Variable(2.0)

    @tf.function
    def f(n):
        for i in tf.range(n):
            with tf.GradientTape() as tape:
                loss = v * v
            v.assign_sub(0.1 * tape.gradient(loss, v))
        return v.read_value()

    return (f(tf.constant(0)), f(tf.constant(2)))


def with_in_a_branch(tf: Any) -> Any:
    v = tf.Variable(2.0)

    @tf.function
    def f(n):
        if n > 0:
            with tf.GradientTape() as tape:
                loss = v * v
            v.assign_sub(0.1 * tape.gradient(loss, v))
        return v.read_value()

    return (f(tf.constant(0)), f(tf.constant(2)))


def second_gradient_of_elif(tf: Any) -> Any:

    @tf.function
    def f(x):
        if x > 2.0:
            pass
        elif x > 1.0:
            pass
        return x * x

    x = tf.constant(3.0)
    with tf.GradientTape() as t2:
        t2.watch(x)
        with tf.GradientTape() as t1:
            t1.watch(x)
            y = f(x)
        g = t1.gradient(y, x)
    return t2.gradient(g, x)


def second_gradient_of_elif_traced(tf: Any) -> Any:

    @tf.function
    def f(x):
        with tf.GradientTape() as t2:
            t2.watch(x)
            with tf.GradientTape() as t1:
                t1.watch(x)
                y = x * x
                if x > 2.0:
                    pass
                elif x > 1.0:
                    pass
            g = t1.gradient(y, x)
        return t2.gradient(g, x)

    return f(tf.constant(3.0))


def range_to_a_cast(tf: Any) -> Any:
    return (
        tf.function(lambda: tf.range(1, tf.cast(2.7, tf.int32)))(),
        tf.function(lambda: tf.range(1, tf.cast(2.7, tf.int32)).shape)(),
    )


def gradient_of_sort_in_a_branch(tf: Any) -> Any:
    shapes = []

    @tf.function
    def f(x):
        with tf.GradientTape() as t:
            t.watch(x)
            y = x
            if tf.reduce_sum(x) > 0:
                y = tf.sort(x)
            else:
                y = x * 2.0
            s = tf.reduce_sum(y * tf.constant([1.0, 2.0, 3.0]))
        g = t.gradient(s, x)
        shapes.append(str(g.shape))
        return g

    return (f(tf.constant([3.0, 1.0, 2.0])), shapes)


def loop_over_a_stacked_array(tf: Any) -> Any:

    @tf.function
    def f(n):
        ta = tf.TensorArray(tf.float32, size=n)
        for i in tf.range(n):
            ta = ta.write(i, tf.ones([2]))
        s = ta.stack()
        acc = tf.zeros([2])
        for row in s:
            acc = acc + row
        return (acc, s.shape.as_list())

    return f(tf.constant(3))


def loop_over_a_stacked_growing_array(tf: Any) -> Any:

    @tf.function
    def f(n):
        ta = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
        for i in tf.range(n):
            ta = ta.write(i, tf.ones([2]))
        s = ta.stack()
        acc = tf.zeros([2])
        for row in s:
            acc = acc + row
        return (acc, s.shape.as_list(), ta.concat())

    return f(tf.constant(3))


def branch_on_one_element(tf: Any) -> Any:

    @tf.function
    def f(x):
        if x > 0:
            y = x * 2
        else:
            y = x
        return y

    return (f(tf.constant([3])), f(tf.constant([[3.0]])))


def loop_on_one_element(tf: Any) -> Any:

    @tf.function
    def f(x):
        while x < 10:
            x = x * 2
        return x

    return f(tf.constant([3]))


def cond_on_one_element(tf: Any) -> Any:
    return tf.function(lambda x: tf.cond(x > 0, lambda: 1, lambda: 2))(tf.constant([1]))


def compiled_branch_on_one_element(tf: Any) -> Any:

    @tf.function(jit_compile=True)
    def f(x):
        if x > 0:
            y = x * 2
        else:
            y = x
        return y

    return f(tf.constant([3]))


def transpose_twice_the_same_axis(tf: Any) -> Any:
    return tf.function(lambda x: tf.transpose(x, [0, 0]))(tf.ones([2, 3]))


def argmax_beyond_the_axes(tf: Any) -> Any:
    return tf.function(lambda x: tf.argmax(x, axis=8))(tf.ones([2, 3]))


def band_part_beyond_the_rows_traced(tf: Any) -> Any:
    return tf.function(lambda x: tf.linalg.band_part(x, 3, 3))(tf.ones([2, 2]))


def band_part_beyond_the_rows(tf: Any) -> Any:
    return tf.linalg.band_part(tf.ones([2, 2]), 3, 3)


def variables_of_an_inner_function(tf: Any) -> Any:
    store = []

    @tf.function
    def inner(x):
        if not store:
            store.append(tf.Variable(2.0))
        return x * store[0]

    @tf.function
    def outer(x):
        return inner(x) + 1.0

    return (outer(tf.constant(3.0)), outer(tf.constant([3.0])), inner(tf.constant(3.0)))


def concrete_ragged(tf: Any) -> Any:

    @tf.function
    def f(x):
        return x * 2

    c = f.get_concrete_function(tf.RaggedTensorSpec([None, None], tf.int32))
    return c(tf.ragged.constant([[1], [2, 3]]))


def concrete_sparse(tf: Any) -> Any:

    @tf.function
    def f(x):
        return tf.sparse.to_dense(x)

    c = f.get_concrete_function(tf.SparseTensorSpec([None, None], tf.float32))
    return c(tf.sparse.from_dense([[1.0, 0.0]]))


def concrete_extension_type(tf: Any) -> Any:

    class P(tf.experimental.ExtensionType):
        a: tf.Tensor
        b: tf.Tensor

    @tf.function
    def f(p, y):
        return p.a + p.b + y

    p = P(tf.constant(1.0), tf.constant(2.0))
    c = f.get_concrete_function(p, tf.TensorSpec([], tf.float32))
    return (c(p, tf.constant(1.0)), len(c.inputs))


def concrete_ragged_structure(tf: Any) -> Any:

    @tf.function
    def f(x):
        return x.values

    c = f.get_concrete_function(tf.RaggedTensorSpec([None, None], tf.int32))
    return (
        str(c.structured_input_signature),
        str(c.structured_outputs),
        c.output_shapes,
        c.output_dtypes,
    )


def outputs_of_composites(tf: Any) -> Any:
    def rows(x):
        return {"rows": tf.IndexedSlices(x, tf.constant([0, 1]), tf.constant([4, 2])), "x": x}

    def sparse(x):
        return tf.sparse.from_dense(x)

    def ragged(x):
        return [tf.RaggedTensor.from_tensor(x), None]

    spec = tf.TensorSpec([2, 2])
    traces = [tf.function(f).get_concrete_function(spec) for f in (rows, sparse, ragged)]
    return [(c.output_shapes, c.output_dtypes) for c in traces]


def signature_of_rest(tf: Any) -> Any:

    @tf.function(input_signature=[tf.TensorSpec([], tf.float32), tf.TensorSpec([], tf.float32)])
    def f(*args):
        return args[0] + args[1]

    return f(tf.constant(1.0), tf.constant(2.0))


def signature_of_first_and_rest(tf: Any) -> Any:

    @tf.function(input_signature=[tf.TensorSpec([], tf.float32), tf.TensorSpec([], tf.float32)])
    def f(a, *args):
        return a + args[0]

    return f(tf.constant(1.0), tf.constant(2.0))


def outputs_of_nothing(tf: Any) -> Any:
    c = tf.function(lambda: None).get_concrete_function()
    return (c.output_shapes, c.output_dtypes, c.structured_outputs)


def reflected_operator(tf: Any) -> Any:

    class R:
        def __radd__(self, o):
            return "radd"

        def __rmul__(self, o):
            return "rmul"

        def __array__(self):
            raise TypeError

    return (tf.constant(1.0) + R(), tf.constant(1.0) * R())


def reflected_operator_traced(tf: Any) -> Any:

    class R:
        def __radd__(self, o):
            return "radd"

    return (tf.constant(1.0) + R(), tf.function(lambda x: [x + R()] and 1)(tf.constant(1.0)))


def einsum_of_three_ellipses(tf: Any) -> Any:
    return (
        tf.einsum("...i,...i,...i->...", tf.ones([2, 3]), tf.ones([2, 3]), tf.ones([2, 3])),
        tf.einsum(
            "...ij,...jk,...kl->...il", tf.ones([2, 3, 3]), tf.ones([2, 3, 3]), tf.ones([2, 3, 3])
        ),
    )


def jacobian_of_a_scan(tf: Any) -> Any:

    @tf.function
    def f(x):
        with tf.GradientTape() as t:
            t.watch(x)
            y = tf.scan(lambda a, b: a * b, x)
        return t.jacobian(y, x)

    return f(tf.constant([1.0, 2.0, 3.0]))


def jacobian_in_a_custom_gradient(tf: Any) -> Any:

    @tf.custom_gradient
    def g(x):

        def grad(dy):
            with tf.GradientTape() as t:
                t.watch(x)
                y = x * x
            return dy * tf.linalg.diag_part(t.jacobian(y, x))

        return (x * x, grad)

    @tf.function
    def f(x):
        with tf.GradientTape() as t:
            t.watch(x)
            y = g(x)
        return t.gradient(y, x)

    return f(tf.constant([1.0, 2.0]))


def attribute_of_a_tensor(tf: Any) -> Any:
    t = tf.constant(1.0)
    t.foo = 1
    return t.foo


def attribute_of_a_traced_tensor(tf: Any) -> Any:

    @tf.function
    def f(x):
        x.foo = 3
        return x + x.foo

    return f(tf.constant(1))


def weak_references(tf: Any) -> Any:
    t = tf.constant(1.0)
    r = t.ref()
    w = weakref.ref(r)
    v = weakref.ref(t)
    return (w() is r, v() is t)


def ctc_loss_of_sparse_labels(tf: Any) -> Any:
    return (
        tf.nn.ctc_loss(
            labels=tf.SparseTensor([[0, 0], [0, 1]], [1, 2], [1, 2]),
            logits=tf.ones([6, 1, 4]),
            label_length=None,
            logit_length=tf.constant([6]),
            logits_time_major=True,
            blank_index=-1,
        ),
        tf.nn.ctc_loss(
            labels=tf.SparseTensor([[0, 0], [0, 1]], [1, 2], [1, 2]),
            logits=tf.ones([6, 1, 4]),
            label_length=None,
            logit_length=tf.constant([6]),
            logits_time_major=True,
            blank_index=0,
        ),
    )


def sparse_shape_of_tensors(tf: Any) -> Any:
    return tf.sparse.to_dense(
        tf.SparseTensor([[0, 0]], [1.0], [tf.constant(1, tf.int64), tf.constant(2, tf.int64)])
    )


def sparse_shape_of_tensors_traced(tf: Any) -> Any:
    return tf.function(lambda n: tf.sparse.to_dense(tf.SparseTensor([[0, 0]], [1.0], [n, 2])))(
        tf.constant(3, tf.int64)
    )


def map_over_sparse(tf: Any) -> Any:
    return tf.map_fn(
        lambda s: tf.sparse.reduce_sum(s),
        tf.sparse.from_dense([[1.0, 0.0, 3.0], [0.0, 2.0, 0.0]]),
        fn_output_signature=tf.float32,
    )


def map_over_sparse_traced(tf: Any) -> Any:
    return tf.function(
        lambda s: tf.map_fn(lambda s: tf.sparse.reduce_sum(s), s, fn_output_signature=tf.float32)
    )(tf.sparse.from_dense([[1.0, 0.0, 3.0], [0.0, 2.0, 0.0]]))


def gather_at_ragged_places(tf: Any) -> Any:
    return tf.gather(tf.constant([[1, 2, 3], [4, 5, 6]]), tf.ragged.constant([[0], [1, 2]]), axis=1)


def gather_at_ragged_places_in_batches(tf: Any) -> Any:
    return tf.gather(
        tf.constant([[1, 2, 3], [4, 5, 6]]), tf.ragged.constant([[0], [1, 2]]), batch_dims=1
    )


def list_with_a_wider_tensor(tf: Any) -> Any:
    return tf.convert_to_tensor([[0.0], tf.constant([1.0], tf.float64)], dtype=tf.float32)


def list_with_a_wider_scalar(tf: Any) -> Any:
    return tf.convert_to_tensor([0.0, tf.constant(1.0, tf.float64)], dtype=tf.float32)


def list_with_a_wider_tensor_traced(tf: Any) -> Any:
    return tf.function(lambda t: tf.convert_to_tensor([[0.0], t], dtype=tf.float32))(
        tf.constant([1.0], tf.float64)
    )


def second_gradient_of_one_tape(tf: Any) -> Any:
    v = tf.Variable(2.0)

    @tf.function
    def f(x):
        return v * v * v * x

    with tf.GradientTape(persistent=True) as t:
        y = f(tf.constant(1.0))
        g = t.gradient(y, v)
    return t.gradient(g, v)


def py_function_of_a_list(tf: Any) -> Any:
    return tf.py_function(lambda a, t: tf.reduce_sum(a) + t, [[1, 2, 3], tf.constant(1)], tf.int32)


def py_function_of_a_list_traced(tf: Any) -> Any:
    return tf.function(
        lambda t: tf.py_function(lambda a, t: tf.reduce_sum(a) + t, [[1, 2, 3], t], tf.int32)
    )(tf.constant(1))


def numpy_function_of_a_list(tf: Any) -> Any:
    return tf.numpy_function(
        lambda a, t: np.int32(a.sum() + t), [[1, 2, 3], tf.constant(1)], tf.int32
    )


def boolean_mask_along_an_argument(tf: Any) -> Any:
    return tf.function(lambda x, a: tf.boolean_mask(x, [True, False], axis=a))(
        tf.ones([2, 2]), tf.constant(0)
    )


def boolean_mask_along_a_constant(tf: Any) -> Any:
    return tf.function(lambda x: tf.boolean_mask(x, [True, False], axis=tf.constant(1)))(
        tf.ones([2, 2])
    )


def add_n_of_a_generator(tf: Any) -> Any:
    return tf.add_n(tf.constant(float(i)) for i in range(3))


def gather_at_int16(tf: Any) -> Any:
    return tf.gather(tf.constant([1, 2, 3]), tf.constant([0, 2], tf.int16))


def index_of_int16(tf: Any) -> Any:
    return tf.constant([1, 2, 3])[tf.constant(1, tf.int16)]


def slice_from_int16(tf: Any) -> Any:
    return tf.constant([1, 2, 3])[tf.constant(1, tf.int16) :]


def gather_nd_at_int16(tf: Any) -> Any:
    return tf.gather_nd(tf.constant([1, 2, 3]), tf.constant([[0], [2]], tf.int16))


def reshape_to_int16(tf: Any) -> Any:
    return tf.reshape(tf.constant([1, 2, 3, 4]), tf.constant([2, 2], tf.int16))


def reduce_along_int16(tf: Any) -> Any:
    return (
        tf.reduce_sum(tf.constant([1, 2, 3, 4]), tf.constant(0, tf.int16)),
        tf.argmax([1, 2], tf.constant(0, tf.int16)),
    )


def large_shape_as_a_tensor(tf: Any) -> Any:
    return tf.convert_to_tensor(tf.TensorShape([2**31]))


def large_shape_as_a_tensor_traced(tf: Any) -> Any:
    return tf.function(lambda: tf.convert_to_tensor(tf.TensorShape([2**31])))()


def in_top_k_of_float64(tf: Any) -> Any:
    return tf.math.in_top_k(tf.constant([1]), tf.constant([[1.0, 2.0]], tf.float64), 1)


def shape_invariant_of_sparse(tf: Any) -> Any:

    @tf.function
    def f(n):
        s = tf.sparse.from_dense([[1.0, 0.0]])
        r = tf.while_loop(
            lambda i, s: i < n,
            lambda i, s: (i + 1, tf.sparse.concat(0, [s, s])),
            [tf.constant(0), s],
            shape_invariants=[tf.TensorShape([]), tf.TensorShape([None, 2])],
        )
        return tf.sparse.to_dense(r[1])

    return f(tf.constant(2))


def key_that_a_loop_adds(tf: Any) -> Any:

    @tf.function
    def f(n):
        d = {}
        for i in tf.range(n):
            d["a"] = i
        return d

    return f(tf.constant(3))


def keys_that_a_loop_adds(tf: Any) -> Any:

    @tf.function
    def f(n):
        d = {"a": 0}
        for i in tf.range(n):
            d["a"] = i
            d["b"] = i * 2
        return d

    return f(tf.constant(3))


def return_in_finally(tf: Any) -> Any:

    @tf.function
    def f(x):
        if x > 0:
            try:
                y = x
            finally:
                return x * 2
        return x

    return (f(tf.constant(3)), f(tf.constant(-3)))


def ragged_shape_from_lengths(tf: Any) -> Any:
    D = tf.experimental.DynamicRaggedShape
    return (str(D.from_lengths([2, (1, 3), 2])), str(D.from_lengths([2, 3])))


def slices_of_a_ragged_shape(tf: Any) -> Any:
    D = tf.experimental.DynamicRaggedShape
    d = D.from_lengths([2, (1, 3), 2])
    return (
        str(d[0]),
        str(d[:2]),
        str(d[1:]),
        str(d[2:]),
        str(d[:1]),
        str(D.from_lengths([2, 3, 4])[1:]),
    )


def logical_devices(tf: Any) -> Any:
    return (
        callable(tf.config.set_logical_device_configuration),
        type(tf.config.LogicalDeviceConfiguration()).__name__,
    )


def graph_as_default(tf: Any) -> Any:
    g = tf.Graph()
    with g.as_default():
        x = tf.constant(1.0)
        y = x + 1.0
        return (
            x.graph is g,
            tf.executing_eagerly(),
            y.op.type,
            [o.type for o in g.get_operations()],
        )


def call_in_a_graph(tf: Any) -> Any:
    g = tf.Graph()
    with g.as_default():

        @tf.function
        def f(x):
            return x * 2

        y = f(tf.constant(2.0))
        return (y.op.type, type(y).__name__, sorted(o.type for o in g.get_operations()))


def initializer_of_a_variable(tf: Any) -> Any:
    return tf.Variable(1.0).initializer


def initializer_of_a_traced_variable(tf: Any) -> Any:
    store = []

    @tf.function
    def f():
        if not store:
            store.append(tf.Variable(2.0))
        return store[0] + 1.0

    r = f()
    return (r, store[0].initializer)


def structured_outputs(tf: Any) -> Any:
    c = tf.function(lambda x: {"a": x, "b": (x, [x])}).get_concrete_function(
        tf.TensorSpec([2], tf.float32)
    )
    return str(c.structured_outputs)


def load_of_a_variable(tf: Any) -> Any:
    v = tf.Variable(1.0)
    return (v.load(3.0), v)


def slice_of_a_saved_variable(tf: Any) -> Any:
    s = tf.Variable.SaveSliceInfo(
        full_name="v", full_shape=[4, 2], var_offset=[0, 0], var_shape=[2, 2]
    )
    return (s.full_name, s.full_shape, s.spec, str(s.to_proto())[:40])


def copy_of_a_method(tf: Any) -> Any:

    class M(tf.Module):
        def __init__(self):
            super().__init__()
            self.v = tf.Variable(2.0)

        @tf.function
        def __call__(self, x):
            return self.v * x

    m = M()
    m(tf.constant(1.0))
    n = copy.deepcopy(m)
    n.v.assign(5.0)
    return (n(tf.constant(1.0)), m(tf.constant(1.0)))


def shapes_through_calls(tf: Any) -> Any:
    out = []

    @tf.function
    def g(x):
        return x * 2

    @tf.function(input_signature=[tf.TensorSpec([None, None], tf.float32)])
    def h(x):
        return x * 2

    @tf.function(reduce_retracing=True)
    def k(x):
        return x * 2.0

    @tf.function
    def f(x):
        out.append(g(x).shape.as_list())
        out.append(h(x).shape.as_list())
        out.append(k(x).shape.as_list())
        return x

    f(tf.ones([3, 5]))
    k(tf.ones([3, 6]))
    k(tf.ones([3, 7]))
    f(tf.ones([3, 8]))
    return out


def zeros_of_a_part(tf: Any) -> Any:
    return tf.zeros_initializer()([4, 2], partition_shape=[2, 2], partition_offset=[0, 0])


def ones_of_an_unknown_argument(tf: Any) -> Any:
    return tf.ones_initializer()([4, 2], foo=1)


def uniform_of_a_part(tf: Any) -> Any:
    return tf.random_uniform_initializer(seed=1)(
        [4, 2], partition_shape=[2, 2], partition_offset=[0, 0]
    ).shape


def constant_of_a_part(tf: Any) -> Any:
    return tf.constant_initializer(3)([4, 2], partition_shape=[2, 2])


def extension_type_reserved_prefix(tf: Any) -> Any:

    class A(tf.experimental.ExtensionType):
        _tf_extension_type_x: int

    return 1


def extension_type_field_spec(tf: Any) -> Any:

    class A(tf.experimental.ExtensionType):
        spec: int

    return 1


def extension_type_reserved_name(tf: Any) -> Any:

    class A(tf.experimental.ExtensionType):
        Spec: int

    return 1


def extension_type_unknown_reference(tf: Any) -> Any:

    class Node(tf.experimental.ExtensionType):
        value: tf.Tensor
        next: "Node2"

    class Node2(tf.experimental.ExtensionType):
        value: tf.Tensor

    return Node(1, Node2(2)).next.value


def logger_of_the_library(tf: Any) -> Any:
    return (tf.get_logger().name, tf.get_logger() is logging.getLogger("tensorflow"))


def type_of_an_untraced_function(tf: Any) -> Any:
    f = tf.function(lambda b, a=1: b)
    return (repr(f.function_type),)


def type_of_a_traced_function(tf: Any) -> Any:
    f = tf.function(lambda d, *, z, a: d["y"])
    c = f.get_concrete_function(
        {"y": tf.TensorSpec([], tf.float32), "a": tf.TensorSpec([2], tf.float32)},
        z=1,
        a=tf.TensorSpec([], tf.int32),
    )
    return repr(c.function_type)


def branches_of_other_keys(tf: Any) -> Any:

    @tf.function
    def f(x):
        if x > 0:
            d = {"a": x}
        else:
            d = {"b": x}
        return d

    return f(tf.constant(1))


def cond_of_other_keys(tf: Any) -> Any:
    return tf.function(lambda x: tf.cond(x > 0, lambda: {"a": x}, lambda: {"b": x}))(tf.constant(1))


def cond_of_other_structure(tf: Any) -> Any:
    return tf.function(lambda x: tf.cond(x > 0, lambda: (x, x), lambda: x))(tf.constant(1))


def cond_of_other_dtypes(tf: Any) -> Any:
    return tf.function(lambda x: tf.cond(x > 0, lambda: x, lambda: 1.0))(tf.constant(1))


def numpy_of_a_traced_tensor(tf: Any) -> Any:
    return tf.function(lambda x: x.numpy())(tf.constant(1))


def product_of_two_dtypes(tf: Any) -> Any:
    return tf.constant(3) * tf.constant(2.5)


def product_of_two_dtypes_traced(tf: Any) -> Any:
    return tf.function(lambda a, b: a * b)(tf.constant(3), tf.constant(2.5))


def comprehension_over_a_range(tf: Any) -> Any:

    @tf.function
    def f(n):
        return [i for i in range(n)]

    return f(tf.constant(3))


def comprehension_without_autograph(tf: Any) -> Any:

    @tf.function(autograph=False)
    def f(n):
        return [i for i in range(n)]

    return f(tf.constant(3))


def branch_without_autograph(tf: Any) -> Any:

    @tf.function(autograph=False)
    def f(n):
        return 1 if n > 0 else 2

    return f(tf.constant(3))


def loop_without_autograph(tf: Any) -> Any:

    @tf.function(autograph=False)
    def f(n):
        for i in n:
            pass
        return n

    return f(tf.constant([3]))


def recursion_over_a_number(tf: Any) -> Any:

    @tf.function
    def f(n):
        if n == 0:
            return tf.constant(0)
        return f(n - 1) + 1

    return f(8)


def refusal_of_bias_add(tf: Any) -> Any:
    return tf.nn.bias_add(tf.ones([1, 2]), [1.0, 2.0], data_format=3)


def refusal_of_sobel(tf: Any) -> Any:
    return tf.image.sobel_edges(1.0)


def refusal_of_zeros_sparse(tf: Any) -> Any:
    return tf.zeros(tf.sparse.from_dense([1]))


def refusal_of_conv1dt(tf: Any) -> Any:
    return tf.nn.conv1d_transpose(tf.ones([2, 2]), tf.ones([2, 2, 2]), [2, 2, 2], 1)


def refusal_of_range(tf: Any) -> Any:
    return tf.range(-(2**63), 5)


def refusal_of_split_g(tf: Any) -> Any:
    return tf.function(lambda x: tf.split(x, 2**40))(tf.ones([4]))


def refusal_of_split_e(tf: Any) -> Any:
    return tf.split(tf.ones([4]), 2**40)


def refusal_of_bias_add_g(tf: Any) -> Any:
    return tf.function(lambda x: tf.nn.bias_add(x, [1.0, 2.0], data_format=3))(tf.ones([1, 2]))


def decoded_gif_files(tf: Any) -> Any:
    return [outcome(lambda tf, data=data: tf.io.decode_gif(data), tf) for data in FILES]


def proto_in_an_open_graph(tf: Any) -> Any:
    with tf.Graph().as_default():
        proto = tf.make_tensor_proto([1.0, 2.0])
    return tf.make_ndarray(proto).tolist()


def proto_in_a_function(tf: Any) -> Any:
    a, protos = tf.constant([3.0]), []

    @tf.function
    def f(x):
        protos.append(tf.make_tensor_proto(a, shape=[2, 1], allow_broadcast=True))
        return x

    f(a)
    return [tf.make_ndarray(proto).tolist() for proto in protos]


def proto_of_a_symbolic_tensor(tf: Any) -> Any:
    return tf.function(lambda x: tf.make_tensor_proto(x))(tf.constant(1.0))


def proto_of_symbolic_tensors(tf: Any) -> Any:
    return tf.function(lambda x: tf.make_tensor_proto([x, 1.0]))(tf.constant(1.0))


def derivatives_of_one_tape(function: Callable[..., Any], v: Any, tf: Any) -> Any:
    x = tf.constant(0.9)
    with tf.GradientTape(persistent=True) as t:
        t.watch(x)
        y = function(x)
        first = t.gradient(y, v)
        by_x = t.gradient(y, x)
        second = t.gradient(first, v)
    return (first, second, t.gradient(second, v), t.gradient(first, x), t.gradient(by_x, v))


def derivatives_of_a_call_in_a_call(tf: Any) -> Any:
    v = tf.Variable(0.7)
    g = tf.function(lambda x: tf.exp(v * x) + v)
    return derivatives_of_one_tape(tf.function(lambda x: g(x) * tf.sin(g(x * v))), v, tf)


def derivatives_of_a_branch(tf: Any) -> Any:
    v = tf.Variable(0.7)

    @tf.function
    def f(x):
        return tf.exp(x * v) if x > 0.0 else x * v

    return derivatives_of_one_tape(f, v, tf)


def derivatives_of_a_loop(tf: Any) -> Any:
    v = tf.Variable(0.7)

    @tf.function
    def f(x):
        for i in tf.range(3):
            x = x * tf.sin(v * x)
        return x

    return derivatives_of_one_tape(f, v, tf)


def derivatives_of_what_changes_a_variable(tf: Any) -> Any:
    v = tf.Variable(0.7)

    @tf.function
    def f(x):
        v.assign_add(0.1)
        return v * v * x + tf.tanh(v)

    return [*derivatives_of_one_tape(f, v, tf), v]


def derivatives_of_one_tape_in_a_function(tf: Any) -> Any:
    v = tf.Variable(0.7)
    g = tf.function(lambda x: tf.exp(v * x) + v)
    return tf.function(lambda x: derivatives_of_one_tape(g, v, tf))(tf.constant(0.9))


def derivative_after_a_variable_changed(tf: Any) -> Any:
    v = tf.Variable(2.0)
    f = tf.function(lambda x: v * v * v * x)
    with tf.GradientTape(persistent=True) as t:
        first = t.gradient(f(tf.constant(2.0)), v)
        v.assign(100.0)
    return t.gradient(first, v)


def derivatives_of_a_linear_call(tf: Any) -> Any:
    v = tf.Variable(0.7)
    return derivatives_of_one_tape(tf.function(lambda x: v * x), v, tf)


def gradients_of_calls_to_a_constant(tf: Any) -> Any:
    v, w = tf.constant(3.0), tf.Variable(2.0)
    inner = tf.function(lambda x: x * v * w)
    outer = tf.function(lambda x: inner(x) * v)
    inner(tf.constant(1.0))

    def turn(i, y):
        return i + 1, inner(y)

    @tf.function
    def f(x):
        y = outer(x)
        branch = tf.cond(x > 0, lambda: outer(x), lambda: x)
        loop = tf.while_loop(lambda i, y: i < 2, turn, [tf.constant(0), x])[1]
        each = tf.map_fn(inner, tf.stack([x, x]))
        return [tf.gradients(y, [x]), *[tf.gradients(z, [v, w]) for z in (y, branch, loop, each)]]

    return f(tf.constant(2.0))


def gradient_of_a_call_to_a_watched_constant(tf: Any) -> Any:
    v = tf.constant(3.0)
    inner = tf.function(lambda x: x * v)
    outer = tf.function(lambda x: inner(x) * v)

    @tf.function
    def f(x):
        with tf.GradientTape() as t:
            t.watch(v)
            y = outer(x)
        return t.gradient(y, v)

    return (f(tf.constant(2.0)), outer(tf.constant(2.0)))


def saved_parse_example(tf: Any) -> Any:
    features = {
        "a": tf.train.Feature(float_list=tf.train.FloatList(value=[1.0, 2.0])),
        "b": tf.train.Feature(int64_list=tf.train.Int64List(value=[5])),
        "r": tf.train.Feature(int64_list=tf.train.Int64List(value=[6, 7])),
    }
    example = tf.train.Example(features=tf.train.Features(feature=features)).SerializeToString()
    spec = {
        "a": tf.io.FixedLenFeature([2], tf.float32),
        "b": tf.io.VarLenFeature(tf.int64),
        "c": tf.io.VarLenFeature(tf.string),
        "r": tf.io.RaggedFeature(tf.int64),
        "z": tf.io.FixedLenFeature([], tf.string, "none"),
    }
    module = tf.Module()
    module.parse = tf.function(
        lambda serialized: tf.io.parse_example(serialized, spec),
        input_signature=[tf.TensorSpec([None], tf.string)],
    )
    with tempfile.TemporaryDirectory() as directory:
        tf.saved_model.save(module, directory)
        return tf.saved_model.load(directory).parse(tf.constant([example]))


def keys_that_a_while_loop_adds(tf: Any) -> Any:

    @tf.function
    def f(n):
        d, i = {"x": {}}, 0
        while i < n:
            d["x"]["a"] = tf.ones([2]) * tf.cast(i, tf.float32)
            d["k"] = [i, i + 1]
            i += 1
        return d, i

    return f(tf.constant(3))


def keys_that_inner_loops_add(tf: Any) -> Any:

    @tf.function
    def f(n):
        d = {}
        for i in tf.range(n):
            for j in tf.range(n):
                d["a"] = i + j
        return d

    return f(tf.constant(3))


def key_of_a_loop_without_turns(tf: Any) -> Any:

    @tf.function
    def f(n):
        d = {}
        for i in tf.range(n):
            d["a"] = i
        return d

    return f(tf.constant(0))


def gradient_of_a_key_that_a_loop_adds(tf: Any) -> Any:

    @tf.function
    def f(x):
        d = {}
        with tf.GradientTape() as tape:
            tape.watch(x)
            for i in tf.range(3):
                d["y"] = x * tf.cast(i, tf.float32)
            loss = d["y"] * d["y"]
        return tape.gradient(loss, x)

    return f(tf.constant(2.0))


def dtype_hint_of_a_list_of_tensors(tf: Any) -> Any:
    return (
        tf.convert_to_tensor([1, tf.constant(2)], dtype_hint=tf.int64),
        tf.convert_to_tensor([[tf.constant(2.5)]], dtype_hint=tf.int32),
        tf.RaggedTensor.from_row_lengths([1, 2], [1, tf.constant(1)]).row_splits,
    )


def pieces_of_ragged_rows(tf: Any) -> Any:

    @tf.function(input_signature=[tf.RaggedTensorSpec([None, None], tf.int32)])
    def f(x):
        return tf.split(x, 2)[1].to_tensor(), tf.split(x, tf.constant([1, 1]), num=2)[0].to_tensor()

    return f(tf.ragged.constant([[1], [2, 3]]))


def uneven_pieces_of_ragged_rows(tf: Any) -> Any:
    return tf.split(tf.ragged.constant([[1], [2, 3]]), 3)


def no_pieces_of_ragged_rows(tf: Any) -> Any:
    return tf.split(tf.ragged.constant([[1], [2, 3]]), 0)


def pieces_with_too_few_ragged_rows(tf: Any) -> Any:
    return tf.split(tf.ragged.constant([[1], [2, 3]]), [1, 2])


def ragged_rows_of_unknown_rank(tf: Any) -> Any:

    @tf.function(input_signature=[tf.TensorSpec(None)])
    def f(x):
        return tf.RaggedTensor.from_tensor(x, padding=0.0).row_lengths()

    return f(tf.constant([[1.0, 0.0], [2.0, 3.0]]))


def rows_that_do_not_fit_values(tf: Any) -> Any:
    return tf.RaggedTensor.from_value_rowids(tf.ones([3]), tf.constant([1, 1]))


def segments_that_do_not_fit_rows(tf: Any) -> Any:
    return tf.function(lambda x: tf.math.segment_mean(x, [0, 1]))(tf.ones([3, 2]))


def bounds_in_the_wrong_order(tf: Any) -> Any:
    return tf.experimental.numpy.clip([1.0, -2.0, 5.0], 3.0, 0.0)


def slope_of_a_saturated_nan(tf: Any) -> Any:
    x = tf.constant([float("nan"), 1.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.dtypes.saturate_cast(x, tf.float64)
    return tape.gradient(y, x)


def bessel_functions_of_negative_numbers(tf: Any) -> Any:
    x, special = tf.constant([-1.5, -0.5, 0.5]), tf.math.special
    of_second_kind = special.bessel_y0, special.bessel_y1, special.bessel_k0e, special.bessel_k1
    return [f(x) for f in of_second_kind]


def batch_jacobian_of_unknown_rank(tf: Any) -> Any:

    @tf.function(input_signature=[tf.TensorSpec(None)])
    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * x
        return tape.batch_jacobian(y, x)

    return f(tf.ones([2, 2]))


def ngrams_of_unknown_rank(tf: Any) -> Any:
    f = tf.function(
        lambda x: tf.strings.ngrams(x, 2), input_signature=[tf.TensorSpec(None, tf.string)]
    )
    return f(tf.constant(["a", "b"]))


def images_without_pixels(tf: Any) -> Any:
    empty, kinds = tf.zeros([2, 0, 3]), []
    for change in (
        tf.image.flip_left_right,
        tf.image.flip_up_down,
        tf.image.rot90,
        tf.image.transpose,
        tf.image.per_image_standardization,
        lambda x: tf.image.central_crop(x, 0.5),
        lambda x: tf.image.pad_to_bounding_box(x, 0, 0, 5, 5),
        lambda x: tf.image.resize_with_pad(x, 2, 2),
        tf.image.sobel_edges,
    ):
        kinds.append(outcome(lambda tf, f=change: f(empty), tf))
    return kinds


def hues_of_no_images(tf: Any) -> Any:
    adjusts = (tf.image.adjust_hue, tf.image.adjust_saturation)
    shapes = ([3], [2, 3], [2, 3, 2])
    return [outcome(lambda tf, f=f, s=s: f(tf.ones(s), 0.5), tf) for f in adjusts for s in shapes]


def hue_in_a_branch_not_taken(tf: Any) -> Any:

    @tf.function
    def f(x):
        if tf.reduce_sum(x) < 0:
            x = tf.image.adjust_hue(x, 0.5)
        return x

    return f(tf.ones([2, 2, 2]))


def noise_ratio_of_other_shapes(tf: Any) -> Any:
    shapes = ([1, 1, 1], [3, 3], [2, 2, 3, 3])
    return [
        outcome(lambda tf, s=s: tf.image.psnr(tf.ones([2, 3, 3]), tf.zeros(s), 1.0), tf)
        for s in shapes
    ]


def grayscale_of_a_vector(tf: Any) -> Any:
    return tf.image.grayscale_to_rgb(tf.constant([1.0]))


def resize_to_the_same_size(tf: Any) -> Any:
    return tf.image.resize(tf.constant([[[float("inf")], [1.0]]]), [1, 2])


def quantization_beside_nan(tf: Any) -> Any:
    x = tf.constant([float("nan"), 0.0, float("nan"), 1.0])
    return tf.quantization.quantize_and_dequantize_v2(x, -1.0, 2.0)


def repeat_fewer_than_none(tf: Any) -> Any:
    counts = [1, -1, 2]
    return tf.repeat([1, 2, 3], counts), tf.repeat([1, 2, 3], tf.constant(counts))


def segment_ids_of_falling_splits(tf: Any) -> Any:
    return tf.ragged.row_splits_to_segment_ids([0, 2, 1, 3])


def crosses_of_floats(tf: Any) -> Any:
    rows = tf.ragged.constant([[1.5]])
    return [
        outcome(lambda tf: tf.ragged.cross([rows, rows]), tf),
        outcome(lambda tf: tf.sparse.cross([tf.constant([[1.5]])]).values, tf),
        outcome(lambda tf: tf.sparse.cross_hashed([tf.constant([[1.5]])]).values, tf),
    ]


def code_points_of_int64(tf: Any) -> Any:
    return tf.strings.unicode_encode(tf.constant([[65]], tf.int64), "UTF-8")


def records_without_fields(tf: Any) -> Any:
    return tf.io.decode_csv(tf.constant(["a", ""]), [["x"]], select_cols=[0])


def batch_jacobian_of_vectors(tf: Any) -> Any:
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    return tape.batch_jacobian(y, x)


def solutions_with_nan(tf: Any) -> Any:
    x = tf.constant([[float("nan"), 1.0], [1.0, 2.0]])
    return [
        outcome(lambda tf: tf.linalg.solve(x, tf.ones([2, 1])), tf),
        outcome(lambda tf: tf.linalg.eigvalsh(x), tf),
        outcome(lambda tf: tf.linalg.eigvalsh(tf.transpose(tf.linalg.band_part(x, 0, -1)))[:0], tf),
    ]


def scalar_texts_added(tf: Any) -> Any:

    @tf.function
    def f(x, y):
        return tf.reshape(x + y, [1]), tf.strings.split(x + y)

    return f(tf.constant("a "), tf.constant("b"))


def stitched_in_a_loop(tf: Any) -> Any:

    @tf.function
    def f(x):
        for i in tf.range(2):
            x = tf.dynamic_stitch([[0, 2], [1]], [x[:2], x[:1]])
        return x

    return f(tf.constant([1.0, 2.0, 3.0]))


def keys_of_dicts_in_order(tf: Any) -> Any:
    a = {"y": tf.constant([1]), "a": tf.constant([2])}
    other = {"a": tf.constant([2]), "y": tf.constant([1])}

    @tf.function
    def f(d):
        return tf.stack(list(d.values())), {k: v * 2 for k, v in d.items()}, list(d)

    @tf.function
    def branch(x):
        d = {"y": x, "a": x}
        if tf.reduce_sum(x) > 0:
            d = {"y": x, "a": x + 1}
        return tf.stack(list(d.values()))

    signature = [{"y": tf.TensorSpec([1], tf.int32), "a": tf.TensorSpec([1], tf.int32)}]
    g = tf.function(lambda d: tf.stack(list(d.values())), input_signature=signature)
    seen = []
    tf.while_loop(
        lambda d: d["y"][0] < 3, lambda d: seen.append(list(d)) or ({**d, "y": d["y"] + 1},), (a,)
    )
    return [
        f(a),
        f(other),
        list(f(a)[1]),
        branch(a["y"]),
        g(other),
        tf.map_fn(lambda d: tf.stack(list(d.values())), a, fn_output_signature=tf.int32),
        tf.vectorized_map(lambda d: tf.stack(list(d.values())), a),
        tf.function(lambda d: tf.cond(d["y"][0] > 0, lambda: d, lambda: d))(a),
        list(tf.function(lambda d: tf.nest.map_structure(lambda x: x + 1, d))(a)),
        [list(d) for d in tf.data.Dataset.from_tensors(a).map(lambda d: {**d})],
        f.experimental_get_tracing_count(),
        seen,
    ]


def a_tensor_with_nan_is_itself(tf: Any) -> Any:
    x = tf.constant([float("nan")])

    @tf.function
    def f(x):
        tf.debugging.assert_equal(x, x)
        return tf.size(x)

    return f(x), tf.debugging.assert_equal(x, x)


def truncated_division_by_zero(tf: Any) -> Any:
    x, zero = tf.constant([1]), tf.constant([0])
    calls = (tf.truncatediv, tf.truncatemod, tf.math.floordiv, tf.math.floormod)
    return [outcome(lambda tf, f=f: f(x, zero), tf) for f in calls]


def cross_product_of_pairs(tf: Any) -> Any:
    return tf.linalg.cross(tf.ones([2, 2]), tf.ones([2, 2]))


def hues_below_zero(tf: Any) -> Any:
    x = tf.constant([[[-3.0, -0.5, -2.75], [-0.25, 0.0, -2.75], [3.5, -0.25, 0.75]]])
    return tf.image.adjust_hue(x, 0.1), tf.function(tf.image.adjust_hue)(x, -0.3)


def mean_of_no_complex_numbers(tf: Any) -> Any:
    return [tf.reduce_mean(tf.zeros([0, 2], d), axis=0) for d in ("complex64", "complex128")]


def slope_of_relu6_of_nan(tf: Any) -> Any:
    x = tf.constant([float("nan"), -1.0, 7.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.nn.relu6(x) * tf.constant([1.0, float("inf"), 2.0, 3.0]) + x * 0.0
        z = tf.exp(y)
    return tape.gradient(z, x)


def index_into_nothing(tf: Any) -> Any:
    return [
        twice(tf.gather_nd, tf, tf.zeros([3, 0]), tf.constant([[1]])),
        twice(tf.gather_nd, tf, tf.zeros([3, 0]), tf.zeros([2, 0], tf.int32)),
        twice(tf.gather_nd, tf, tf.zeros([0, 3]), tf.zeros([0, 1], tf.int32)),
        twice(tf.gather, tf, tf.zeros([3, 0]), tf.constant([1])),
    ]


def update_of_nothing(tf: Any) -> Any:
    row, place = tf.zeros([1, 0]), tf.constant([[1]])
    return [
        twice(tf.tensor_scatter_nd_add, tf, tf.zeros([3, 0]), place, row),
        twice(tf.tensor_scatter_nd_max, tf, tf.zeros([0]), place, tf.zeros([1])),
        twice(lambda: tf.scatter_nd(place, row, [3, 0]), tf),
        twice(tf.tensor_scatter_nd_update, tf, tf.zeros([3, 0]), place[:0], row[:0]),
    ]


def distance_of_no_rows(tf: Any) -> Any:
    def rows(shape: list[int]) -> Any:
        return tf.SparseTensor(tf.zeros([0, 2], tf.int64), tf.zeros([0], tf.int64), shape)

    return [twice(lambda s=s: tf.edit_distance(rows(s), rows(s)), tf) for s in ([0, 3], [2, 0])]


def windows_larger_than_images(tf: Any) -> Any:
    kernel = tf.ones([2, 2, 1, 1])
    ways = (
        lambda x: tf.nn.max_pool2d(x, 2, 1, "VALID"),
        lambda x: tf.nn.avg_pool2d(x, 2, 1, "VALID"),
        lambda x: tf.nn.max_pool_with_argmax(x, 2, 1, "VALID"),
        lambda x: tf.nn.dilation2d(x, kernel[..., 0], [1] * 4, "VALID", "NHWC", [1] * 4),
        lambda x: tf.image.extract_patches(x, [1, 2, 2, 1], [1] * 4, [1] * 4, "VALID"),
    )
    images = [tf.zeros([1, 1, 2, 1]), tf.zeros([1, 0, 2, 1]), tf.zeros([0, 2, 2, 1])]
    pooled = [twice(way, tf, x) for way in ways for x in images]
    convolved = outcome(
        lambda _: tf.function(lambda x: tf.nn.conv2d(x, kernel, 1, "VALID"))(images[0]), tf
    )
    return pooled, convolved


def saturated_bools(tf: Any) -> Any:
    return [
        twice(lambda: tf.saturate_cast([1.5], tf.bool), tf),
        twice(lambda: tf.saturate_cast([True], tf.uint8), tf),
    ]


def transforms_of_other_dtypes(tf: Any) -> Any:
    names = ("rfft", "irfft", "rfft2d", "irfft2d", "fft")
    matrices = (tf.constant([[1, 2], [3, 4]]), tf.ones([2, 2]), tf.ones([2, 2], tf.complex64))
    return [
        twice(lambda x, n=n: getattr(tf.signal, n)(x)[0, 0], tf, x) for n in names for x in matrices
    ]


def zeros_like_a_sparse_tensor(tf: Any) -> Any:
    x = tf.SparseTensor([[0, 1]], [2.0], [2, 2])
    ways = (
        lambda: tf.zeros_like(x),
        lambda: tf.ones_like(x),
        lambda: tf.zeros_like(x, tf.int32),
        lambda: tf.zeros_like(tf.sparse.from_dense(tf.ones([2, 2]))),
    )
    return [twice(way, tf) for way in ways]


def products_of_ragged_matrices(tf: Any) -> Any:
    even = tf.ragged.constant([[1.0, 2.0], [3.0, 4.0]])
    uneven = tf.ragged.constant([[1.0], [3.0, 4.0]])
    pairs = ((even, even), (uneven, even), (even, tf.ones([2, 2])), (tf.ones([2, 2]), uneven))
    return [twice(lambda a=a, b=b: tf.matmul(a, b), tf) for a, b in pairs]


def crosses_of_a_variable(tf: Any) -> Any:
    v = tf.Variable([["a"]])
    return twice(lambda: tf.sparse.cross_hashed([v, v]), tf)


def tridiagonal_product_of_a_scalar(tf: Any) -> Any:
    x = tf.constant([1.0, 2.0])
    side = tf.ones([2, 2])
    return twice(
        lambda: tf.linalg.tridiagonal_matmul([x, tf.constant(2.0), x], side, "sequence"), tf
    )


def numbers_for_texts(tf: Any) -> Any:
    values = (tf.constant([1]), np.array([1]), [1])
    ways = (
        tf.strings.length,
        tf.strings.to_number,
        lambda x: tf.strings.regex_replace(x, "a", "b"),
        lambda x: tf.strings.join([x, x]),
        lambda x: tf.strings.unicode_decode(x, "UTF-8"),
        lambda x: tf.strings.unicode_split(x, "UTF-8"),
        tf.strings.split,
        tf.strings.reduce_join,
        tf.io.read_file,
    )
    return [twice(lambda w=w, v=v: w(v), tf) for w in ways for v in values]


def records_of_numbers(tf: Any) -> Any:
    form = tf.function(lambda x: tf.io.decode_csv(x, [["x"]]), autograph=False)
    return [outcome(lambda _, v=v: form(v), tf) for v in (tf.constant([1.0]), tf.constant([1]))]


def format_of_a_traced_tensor(tf: Any) -> Any:
    return twice(lambda x: tf.constant(f"{x:.2f}"), tf, tf.constant(1.0))


def least_squares_of_infinities(tf: Any) -> Any:
    inf = float("inf")
    x = tf.constant([[inf, inf, 0.05], [inf, 0.01, 0.1], [inf, 0.6, 0.08], [0.9, inf, 0.01]])
    batch = tf.stack([tf.eye(3), tf.constant([[1.0, 2, 3], [4, inf, 6], [7, 8, 10]])])
    return [
        tf.linalg.lstsq(x, x, fast=False),
        tf.linalg.lstsq(batch, tf.ones([2, 3, 1]), fast=False),
        tf.linalg.svd(x, compute_uv=False),
    ]


def ragged_shape_of_a_function(tf: Any) -> Any:
    rows = tf.ragged.constant([[1, 2], [3]])

    @tf.function
    def f(x):
        return tf.shape(x)

    shapes = f(rows), f(tf.ragged.constant([[1], [2, 3], []]))
    return [(s.inner_shape, s.row_partitions[0].row_splits()) for s in shapes]


def shapes_that_hold_none(tf: Any) -> Any:
    ways = (
        lambda: tf.zeros([None]),
        lambda: tf.reshape(tf.zeros([4]), [None, 2]),
        lambda: tf.broadcast_to(1, [None]),
        lambda: tf.fill([None], 1),
    )
    return [twice(way, tf) for way in ways]


def dtypes_of_values(tf: Any) -> Any:
    values = [int, float, bool, complex, object, str, list, "q", "int", "f4", "half", "str", 1.0, 1]
    values += [np.array("a"), np.zeros(1), np.float32(1), np.longlong, np.dtype(">i4"), np.str_]
    return [outcome(lambda tf, v=value: tf.as_dtype(v).name, tf) for value in values]


def refusals_of_places(tf: Any) -> Any:
    """Of a number, a list, text, a tensor and arrays, where an op wants integers."""
    x, raw = tf.constant([[1.0, 2.0]]), tf.raw_ops
    values = [1.5, [1.5], "a", tf.constant(1.5), 1j, np.float32(0.0), np.array([0.0])]
    calls = [
        lambda v: raw.Roll(input=x, shift=v, axis=0),
        lambda v: raw.Reshape(tensor=x, shape=v),
        lambda v: raw.Fill(dims=v, value=1),
        lambda v: raw.Sum(input=x, axis=v),
        lambda v: raw.GatherV2(params=x, indices=tf.constant(0), axis=v),
        lambda v: raw.ExpandDims(input=x, axis=v),
        lambda v: raw.OneHot(indices=[1], depth=v, on_value=1, off_value=0),
        lambda v: raw.BroadcastTo(input=x, shape=v),
        lambda v: raw.Transpose(x=x, perm=v),
        lambda v: tf.reduce_sum([[1, 2]], v),
    ]
    return [[outcome(lambda tf, v=v, c=c: c(v).dtype, tf) for v in values] for c in calls]


def refusals_of_converted_operands(tf: Any) -> Any:
    """An op refuses a tensor among tensors; beside a list or text, its conversion does."""
    numbers, truths = tf.constant([7, -9]), tf.constant([True, False])
    calls = [
        lambda tf: tf.logical_and(truths, numbers),
        lambda tf: tf.logical_and([True, False], numbers),
        lambda tf: tf.logical_and([1], [True]),
        lambda tf: tf.where(tf.zeros([2]), 1, 2),
        lambda tf: tf.where(tf.zeros([2]), [1, 2], 0),
        lambda tf: tf.where([1], 1, 2),
        lambda tf: tf.scatter_nd([[1]], [10], tf.constant("s")),
        lambda tf: tf.tensor_scatter_nd_update(numbers, [[0]], tf.ones([1])),
        lambda tf: tf.add(numbers, [1.0, 2.0]),
        lambda tf: tf.strings.join([numbers, "a"]),
        lambda tf: tf.expand_dims([1, 2], [[1, 2], [3]]),
        lambda tf: tf.tile([[1, 2]], [None]),
        lambda tf: tf.dynamic_partition(numbers, [0.0, 1.0], 2),
        lambda tf: tf.dynamic_stitch(numbers, [[1]]),
        lambda tf: tf.dynamic_stitch([0.0], [[1]]),
        lambda tf: tf.signal.hann_window([1, 2]),
        lambda tf: tf.nn.conv2d(
            tf.ones([1, 3, 3, 1]), tf.ones([1, 1, 1, 1]), tf.constant(1), "SAME"
        ),
        lambda tf: tf.image.extract_patches(tf.ones([1, 3, 3, 1]), 1, 1, 1, "SAME"),
    ]
    return [outcome(call, tf) for call in calls]


def arrays_of_floats_for_places(tf: Any) -> Any:
    def moved(x: Any) -> Any:
        places = np.array([1.0, 0.0])
        return tf.transpose(x, places), tf.tile(x, places + 1), tf.reduce_sum(x, np.float64(1.0))

    return twice(moved, tf, tf.constant([[1, 2, 3], [4, 5, 6]]))


def refusals_as_a_graph_runs(tf: Any) -> Any:
    """What constants tell before, TensorFlow finds as the op runs."""
    calls = [
        lambda: tf.argmax([1.5], 1),
        lambda: tf.argmax([[1.5]], 2),
        lambda: tf.cumsum([1.5], 1),
        lambda: tf.math.cumulative_logsumexp(1.5, 0),
        lambda: tf.slice(tf.zeros([2, 3]), [0, 4], [1, 1]),
        lambda: tf.slice(tf.zeros([2, 3]), [0, 4], [1, -1]),
        lambda: tf.slice(tf.zeros([2, 3]), 0, [1, -1]),
        lambda: tf.one_hot([0], 3, axis=3),
        lambda: tf.one_hot([0], 3, axis=-3),
        lambda: tf.linalg.band_part([1.0], 3, 0),
        lambda: tf.linalg.set_diag([[1, 2], [3, 4]], []),
        lambda: tf.tensor_scatter_nd_add([1, 2], [[0]], 0),
        lambda: tf.pad([1], [[2, 1]], constant_values=[1, 2]),
        lambda: tf.broadcast_to([1, 2], -1),
        lambda: tf.gather([10, 20], [1], axis=[1, 2]),
    ]
    return [twice(call, tf) for call in calls]


def print_of_sparse_tensors(tf: Any) -> Any:
    path = tempfile.mkdtemp() + "/text"

    def shown(x: Any) -> Any:
        tf.print(x, "x", output_stream=f"file://{path}")
        tf.print([x], summarize=1, output_stream=f"file://{path}")

    x = tf.sparse.from_dense([[1, 0], [3, 2]])
    shown(x)
    tf.function(shown, autograph=False)(x)
    with open(path) as file:
        return file.read()


def grids_of_two_dtypes(tf: Any) -> Any:
    pairs = [([1], [1.0]), ([1.0], [1]), (["a"], ["b"]), ([True], [False]), (tf.zeros([0]), [1])]
    return [twice(lambda pair=pair: tf.meshgrid(*pair), tf) for pair in pairs]


def padding_of_vectors_in_rows(tf: Any) -> Any:
    forms = [(0.0, 1), ([0.0, 0.0, 0.0], 1), (0.0, 2), ([0.0], 2)]
    make = tf.RaggedTensor.from_tensor
    return [twice(lambda p=p, r=r: make(tf.zeros([2, 2, 3]), None, p, r), tf) for p, r in forms]


def mask_of_rows_by_a_list(tf: Any) -> Any:
    rows = tf.IndexedSlices(tf.zeros([2, 2]), tf.constant([0, 1], tf.int64))
    return twice(lambda: tf.sparse.mask(rows, [0]), tf)


def segments_of_rows_without_elements(tf: Any) -> Any:
    return tf.math.unsorted_segment_sum(tf.zeros([3, 0]), [1, 1, 2], 2)


def reciprocals_of_complex_numbers(tf: Any) -> Any:
    return twice(tf.math.reciprocal, tf, tf.constant([3 + 0j, 2 + 1j]))


def names_of_results(tf: Any) -> Any:
    x, boxes = tf.constant([[2.0, 1.0], [0.0, 4.0]]), tf.zeros([1, 1, 1, 4])
    results = [
        tf.linalg.qr(x),
        tf.linalg.lu(x),
        tf.linalg.slogdet(x),
        tf.math.top_k(x),
        tf.unique([1]),
        tf.audio.decode_wav(tf.audio.encode_wav([[0.5]], 8000)),
        tf.image.combined_non_max_suppression(boxes, tf.zeros([1, 1, 1]), 1, 1),
        tf.nn.compute_accidental_hits(tf.constant([[1]], tf.int64), tf.constant([1], tf.int64), 1),
        tf.nn.max_pool_with_argmax(tf.zeros([1, 1, 1, 1]), 1, 1, "SAME"),
    ]
    return [type(result).__name__ for result in results]


def logarithms_of_gamma_at_infinities(tf: Any) -> Any:
    return twice(tf.math.lgamma, tf, tf.constant([-float("inf"), float("inf"), -2.5]))


def product_of_bools(tf: Any) -> Any:
    b = tf.constant([True, False])
    v = tf.Variable([True, False])
    return [
        twice(lambda x: x * 2.5, tf, b),
        twice(lambda x: x * x, tf, b),
        twice(lambda x: 2 * x, tf, b),
        twice(lambda x: True * x, tf, b),
        twice(lambda x, n: n * x, tf, b, tf.constant([2, 3])),
        twice(lambda x: v * x, tf, b),
        twice(lambda: v * 1, tf),
        twice(lambda x: x * "a", tf, b),
        twice(lambda x: tf.multiply(x, x), tf, b),
    ]


def first_number_that_the_dtype_does_not_hold(tf: Any) -> Any:
    x = tf.constant([1, 2])
    functions = (tf.maximum, tf.minimum, tf.multiply, tf.subtract, tf.less, tf.equal)
    return [
        *[twice(lambda y, f=f: f(2**40, y), tf, x) for f in functions],
        *[twice(lambda y, f=f: f(y, 2**40), tf, x) for f in functions],
        twice(lambda y: 2**40 * y, tf, x),
        twice(lambda y: 2**40 - y, tf, x),
    ]


def slope_of_a_product_beyond_the_range(tf: Any) -> Any:
    def slopes(x):
        with tf.GradientTape() as second:
            second.watch(x)
            with tf.GradientTape() as first:
                first.watch(x)
                y = tf.reduce_prod(x)
            slope = first.gradient(y, x)
        return slope / x, second.gradient(slope, x)

    lists = ([1e30, 1e30], [1e-30, 1e-30])
    return [
        *[twice(slopes, tf, tf.constant(x)) for x in lists],
        twice(slopes, tf, tf.constant([300.0, 300.0], tf.float16)),
    ]


def print_of_empty_structures(tf: Any) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        stream = f"file://{folder}/lines"
        tf.print((1, 2), [], {}, (), {"a": {}}, "{}", "{~}", output_stream=stream)
        tf.print({}, [tf.constant(1), {}], sep="{}", output_stream=stream)
        tf.function(lambda x: [tf.print({"k": "{}"}, x, output_stream=stream), x][1])(1.5)
        return tf.io.read_file(f"{folder}/lines")


def stack_of_what_is_no_tensor(tf: Any) -> Any:
    lists = ([[1], [1, 2]], [[1], [[2]]], 5, [1, "a"])
    return [twice(lambda rows=rows: tf.stack(rows), tf) for rows in lists]


def assertion_about_two_numbers(tf: Any) -> Any:
    try:
        tf.debugging.assert_equal(1, 2)
    except tf.errors.InvalidArgumentError as error:
        return [line for line in error.message.splitlines()[:5] if line]


def repeats_that_are_no_integers(tf: Any) -> Any:
    x = tf.constant([1.0, 2.0])
    floats = tf.constant([1.0, 2.0])
    return [
        twice(lambda: tf.repeat(x, 1.5), tf),
        twice(lambda: tf.repeat(x, 1j), tf),
        twice(lambda: tf.repeat(x, floats), tf),
        twice(lambda: tf.repeat(x, [True, False]), tf),
        twice(lambda: tf.repeat(x, [2, 1]), tf),
    ]


def ranges_of_all_dtypes(tf: Any) -> Any:
    kinds = ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64")
    spaces = [tf.linspace(tf.constant(1, k), tf.constant(4, k), 3) for k in kinds]
    halves = [tf.range(tf.constant(k, "float16")) for k in (0.0, 3.5)]
    return [spaces, halves, tf.range(tf.constant(1.0, "bfloat16"), 3, tf.constant(1, tf.int64))]


def text_of_bytes_that_are_no_text(tf: Any) -> Any:
    return [
        tf.strings.format("{} x", tf.constant(b"\xff\x00a")),
        tf.strings.format("{}", [tf.constant([b"\xc3\xbc\xc3", b'"'])]),
    ]


def checkpoints_that_no_manager_saved(tf: Any) -> Any:
    folder = tempfile.mkdtemp()
    checkpoint = tf.train.Checkpoint(step=tf.Variable(1))
    own = checkpoint.save(folder + "/own")
    first = tf.train.CheckpointManager(checkpoint, folder, max_to_keep=1)
    before = [len(first.checkpoints), first.latest_checkpoint == own]
    paths = [first.save(), first.save()]
    second = tf.train.CheckpointManager(checkpoint, folder, max_to_keep=1)
    after = [second.checkpoints == paths[1:], second.latest_checkpoint == paths[1]]
    second.save()
    there = [len(tf.train.list_variables(own)) > 0, outcome(lambda _: checkpoint.restore(own), tf)[:1]]
    return [before, after, there]


def index_that_is_a_bool_of_numpy(tf: Any) -> Any:
    x = tf.constant([1, 2, 3])
    return [twice(lambda: x[np.bool_(True)], tf), twice(lambda: x[np.array([True, False, True])], tf)]


def variances_of_rows_of_integers(tf: Any) -> Any:
    rows = [tf.ragged.constant([[1, 2], [4]], k) for k in ("int32", "int64", "int8", "uint16")]
    return [[tf.math.reduce_variance(r, axis=1), tf.math.reduce_std(r, axis=0)] for r in rows]


def arrays_of_one_tensor(tf: Any) -> Any:
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    count = tf.function(lambda: tf.constant(tf.experimental.numpy.size(x)))
    return [tf.experimental.numpy.concatenate(x), type(tf.experimental.numpy.size(x)).__name__, count()]


def counts_in_rows_without_elements(tf: Any) -> Any:
    rows = tf.zeros([4, 0], tf.int32)
    return [
        twice(lambda: tf.math.bincount(rows, axis=-1), tf),
        twice(lambda: tf.math.bincount(rows, axis=-1, minlength=3), tf),
        twice(lambda: tf.math.bincount(rows, axis=-1, binary_output=True), tf),
        twice(lambda: tf.math.bincount(rows, tf.zeros([4, 0]), 2, axis=-1), tf),
    ]


def labels_of_other_rows_than_their_lengths(tf: Any) -> Any:
    return [
        tf.nn.collapse_repeated(tf.zeros([1, 0], tf.int32), [1, 2]),
        outcome(lambda tf: tf.nn.collapse_repeated([[1, 1, 2]], [1, 2]), tf),
    ]


def products_of_vectors_of_other_sizes(tf: Any) -> Any:
    vdot = tf.experimental.numpy.vdot
    pairs = ([], [1.0]), ([1.0], [1.0, 2.0]), ([[1, 2]], [[3], [4]]), (2.0, 3.0), ([], [])
    return [outcome(lambda _, pair=pair: vdot(*pair), tf) for pair in pairs]


def jacobians_of_what_is_not_connected(tf: Any) -> Any:
    x = tf.ones([2, 3], tf.float64)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = tf.ones([2, 1], tf.float16)
    return [tape.batch_jacobian(y, x), tape.jacobian(y, x, unconnected_gradients="zero")]


def shapes_that_branches_assign(tf: Any) -> Any:
    @tf.function
    def chosen(x: Any, flag: Any) -> Any:
        if flag:
            size = x.shape
        else:
            size = tf.broadcast_static_shape(x.shape, x.shape)
        return size

    @tf.function
    def unequal(x: Any, flag: Any) -> Any:
        if flag:
            return x.shape
        return x[1:].shape

    x = tf.zeros([2, 3])
    return [f(x, tf.constant(flag)) for f in (chosen, unequal) for flag in (True, False)]


def matrices_stacked_along_an_axis(tf: Any) -> Any:
    x, y = tf.ones([2, 2]), tf.ones([2, 3])
    forms = [([x, x], 1), ([x, x], 2), ([x, x], -1), ([x, x], -2), ([x, y], 1), ([x, y], 2)]
    forms += [([x[0], y[0]], 1), ([x[0], x[0]], 1)]
    return [
        [twice(lambda pair=pair, axis=axis: tf.ragged.stack(pair, axis), tf) for pair, axis in forms],
        [twice(lambda axis=axis: tf.ragged.stack([x, y], axis), tf) for axis in (0, -3)],
    ]


def spaces_between_shapes_that_differ(tf: Any) -> Any:
    return twice(lambda x, y: tf.linspace(x, y, 1), tf, tf.zeros([2, 0]), tf.zeros([3, 2]))


def extremes_of_segments_with_nan(tf: Any) -> Any:
    nan, inf = float("nan"), float("inf")
    x = [nan, nan, 1, nan, 2, nan, inf, -inf, 1, nan, 1, nan, 2, inf, nan, -inf, nan, 5]
    ids = tf.constant([0, 1, 1, 2, 2, 2, 3, 4, 5, 5, 6, 6, 6, 7, 7, 8, 8, -1])
    results = []
    for dtype in (tf.float32, tf.float16):
        vector = tf.constant(x, dtype)
        rows = tf.stack([vector, tf.reverse(vector, [0]), tf.ones_like(vector)], 1)
        for function in (tf.math.unsorted_segment_min, tf.math.unsorted_segment_max):
            results += [twice(function, tf, data, ids, 10) for data in (vector, rows)]
    return results


#: The programs by their names.
PROGRAMS: dict[str, Callable[[Any], Any]] = {
    name: value
    for name, value in list(globals().items())
    if getattr(value, "__module__", None) == __name__
}


def described(value: Any, tf: Any) -> Any:
    """A value as JSON: the dtype, shape and elements of tensors, and the parts of composites."""
    if isinstance(value, (list, tuple)):
        return [described(part, tf) for part in value]
    if isinstance(value, dict):
        return {str(key): described(part, tf) for key, part in value.items()}
    if isinstance(value, tf.RaggedTensor):
        return {"ragged": value.to_list()}
    if isinstance(value, tf.SparseTensor):
        return {"sparse": described([value.indices, value.values, value.dense_shape], tf)}
    if isinstance(value, tf.IndexedSlices):
        return {"rows": described([value.values, value.indices], tf)}
    if isinstance(value, (tf.Tensor, tf.Variable)):
        if not hasattr(value, "numpy"):
            return f"symbolic {value.shape}"
        array = np.asarray(value.numpy())
        if array.dtype.kind in "fV":
            array = np.round(array.astype(np.float64), 4)
        return [value.dtype.name, list(array.shape), repr(array.tolist())]
    return str(value) if isinstance(value, tf.TensorShape) else repr(value)


def outcome(program: Callable[[Any], Any], tf: Any) -> Any:
    """What a program comes to: its result, or the class of its error."""
    try:
        return described(program(tf), tf)
    except Exception as error:  # noqa: BLE001 - any class is an outcome
        return f"! {type(error).__name__}"


def twice(function: Callable[..., Any], tf: Any, *arguments: Any) -> list[Any]:
    """What a function comes to eagerly, and in a graph that knows the shapes."""
    forms = (function, tf.function(function, autograph=False))
    return [outcome(lambda _, form=form: form(*arguments), tf) for form in forms]
