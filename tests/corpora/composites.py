"""Expressions on composites whose outcomes TensorFlow recorded.

`tools/record_composite_goldens.py` evaluates them there, `tests/edge/test_extension_types.py` and
`tests/ragged/` here, eagerly and as the body of a function.
"""

import re
from collections.abc import Mapping
from typing import Any, Optional, Union

import numpy as np

EXTENSIONS = """
m
str(m)
m._type_spec
M.Spec.__name__, M.Spec.__qualname__
M.Spec(tf.TensorSpec([3]), tf.TensorSpec([3], tf.bool))
M.Spec(values=tf.TensorSpec([3]), mask=tf.TensorSpec([3], tf.bool)) == m._type_spec
M.Spec(tf.TensorSpec([3]))
M.Spec(1, 2)
m._type_spec._serialize()
m._type_spec._component_specs
M(1.)
M(1., 2., 3.)
M(object(), True)
M(mask=1, values=2)
setattr(m, 'values', 1)
setattr(m, 'foo', 1)
delattr(m, 'values')
setattr(m._type_spec, 'values', 1)
m == M([1., 2., 3.], [True, False, True])
m != m
m == 1
m == M([1., 2.], [True, False])
hash(m)
A(1)
A(1)._type_spec
A(1, 2.5, 'y', False, [1., 2.], (1, 2), {'k': 1}, 'int32', [1, 2], 5)
A(1, 2.5, 'y', False, [1., 2.], (1, 2), {'k': 1}, 'int32', [1, 2], 5)._type_spec
A(1)._type_spec._serialize()
A('x')
A(1.5)
A(True)
A(1, 'x')
A(1, 2., 3)
A(1, 2., 'a', 1)
A(1, f=(1, 'x'))
A(1, f=3)
A(1, f=[1, 2])
A(1, g=3)
A(1, g={1: 2})
A(1, h='foo')
A(1, i='foo')
A(1, j='x')
A(1, j=tf.constant(1))
A(1, e='x')
tf.nest.flatten(A(1, e=1.), expand_composites=True)
Checked([1.], [2.])
Checked([1.], [-2., 2.])
Custom(3.)
Custom(3., 4)
setattr(Custom(3.), 'x', 1)
Incomplete(3.)
Wrong(3.)
Longer(1.)
Longer(1., 5)._type_spec
Ordered(1, 2)
Ordered(1, y=2, w=3)
Ordered(y=2, w=1)
Nested(m, (m, m))
Nested(m, (m, m))._type_spec
Nested(m, ())._type_spec._component_specs
Nested(1, ())
tf.is_tensor(m)
tf.identity(m)
tf.stop_gradient(m)
tf.add(m, 1)
m + 1
tf.abs(m)
tf.concat([m, m], 0)
tf.shape(m)
tf.convert_to_tensor(m)
tf.function(lambda x: x.double())(m)
str(tf.function(lambda x: x.double()).get_concrete_function(m))
tf.function(lambda x: x).get_concrete_function(m).structured_input_signature
traces(tf.function(lambda x: x.values[0]), M([1.], [True]), M([2.], [True]), M([1., 2.], [True, False]))
traces(tf.function(lambda x: x.x), Custom(1., 3), Custom(2., 3), Custom(2., 4))
traces(tf.function(lambda x: tf.shape(x.values)[0], reduce_retracing=True), M([1.], [True]), M([1., 2.], [True, False]), M([1., 2., 3.], [True, False, True]))
traces(tf.function(lambda x: tf.reduce_mean(x.values), input_signature=(Samples.Spec(),)), Samples([1.0, 2.0, 3.0]), Samples([1.0, 2.0, 3.0, 4.0]))
gradient(lambda t: t.watch(m.values), lambda: tf.reduce_sum(m.values ** 2), m.values)
gradient(lambda t: t.watch(m.values), lambda: m.double(), m.values)
gradient(lambda t: t.watch(m.values), lambda: tf.reduce_sum(m.values ** 2), m)
tf.nest.pack_sequence_as(m, [1, 2], expand_composites=True)
tf.nest.map_structure(lambda x: tf.zeros_like(x), m, expand_composites=True)
tf.nest.map_structure(lambda t: t, m)
tf.experimental.ExtensionType()
tf.experimental.extension_type.as_dict(m)
tf.function(lambda p: tf.cond(p, lambda: m, lambda: m.double()))(tf.constant(False))
tf.function(lambda: tf.while_loop(lambda i, m: i < 3, lambda i, m: (i + 1, m.double()), (0, m)))()
Samples([1., 2.])._type_spec
Samples.Spec()
Samples.Spec().dtype
Samples.Spec._deserialize(Samples.Spec()._serialize())
NoSpec.Spec()
Mapped({'b': 1., 'a': [2.]})
Mapped({'b': 1., 'a': [2.]})._type_spec
tf.nest.flatten(Mapped({'b': 1., 'a': [2.]}), expand_composites=True)
list(Mapped({'b': 1., 'a': [2.]}).m)
tf.function(lambda x: Mapped({k: v * 2 for k, v in x.m.items()}))(Mapped({'b': 1., 'a': [2.]}))
m._type_spec.most_specific_common_supertype([M([1., 2.], [True, False])._type_spec])
m._type_spec.is_compatible_with(M([1], [True]))
m._type_spec.is_compatible_with(m)
m._type_spec.is_subtype_of(M.Spec(tf.TensorSpec([None]), tf.TensorSpec([None], tf.bool)))
B([[1.], [2.]], [3, 4])._type_spec._batch(3)
B([[1.], [2.]], [3, 4])._type_spec._unbatch()
tf.map_fn(lambda b: B(b.x * 2, b.y), B([[1.], [2.]], [3, 4]), fn_output_signature=B.Spec(tf.TensorSpec([1]), tf.TensorSpec([], tf.int32)))
tf.map_fn(lambda b: b.x * 2, B([[1.], [2.]], [3, 4]), fn_output_signature=tf.float32)
Double(3.).double()
Tup((1, 'a'), [1., 2])
Tup((1, 'a'), q=[1])._type_spec
Tup.Spec((1, 'a'), (), None, tf.TensorSpec([]))
extension('X', x=set)
extension('X', x=object)
extension('X', x=tuple)
extension('X', x=complex)
extension('X', x=tf.Variable)
extension('X', x=tf.TensorSpec([None], tf.float32))
extension('X', self=int)
extension('X', Spec=int)
extension('X', _type_spec=int)
extension('X', _tf_extension_type_foo=int)
extension('X', {'c': 5}, x=int)
extension('X', {'x': 'a'}, x=int)
extension('X', {'Spec': 3}, x=int)
""".strip().splitlines()

#: Expressions for which handlers are registered: see `dispatched`.
DISPATCHED = """
tf.abs(m)
tf.cast(m, tf.int32)
tf.clip_by_value(m, 1.5, 2.)
tf.ones_like(m, dtype=tf.int32)
tf.zeros_like(input=m)
tf.nn.gelu(m)
tf.strings.as_string(m)
-m
tf.add(m, m)
tf.add(m, tf.constant(1.))
tf.add(tf.constant(1.), m)
tf.add(m, 1.)
tf.less(m, m)
tf.math.add(m, m, name='q')
tf.add(x=m, y=m)
tf.debugging.assert_equal(m, m)
tf.stack([m, m])
tf.stack((m, m), axis=1)
tf.stack([m, 1.])
tf.concat([m, m], 0)
tf.concat([m, m], axis=0, name='y')
tf.shape(m)
tf.shape(input=m, out_type=tf.int64)
tf.shape(m, name='x')
tf.reduce_max(m)
tf.reduce_min(m)
tf.reduce_mean(m)
tf.function(lambda m: tf.abs(m))(m)
tf.experimental.dispatch_for_unary_elementwise_apis(M)(lambda api, x: x)
tf.experimental.dispatch_for_api(tf.reduce_sum, {'input_tensor': M})(lambda x, axis: 1)
tf.experimental.dispatch_for_api(tf.reduce_sum, {'foo': M})(lambda input_tensor, axis=None, keepdims=False, name=None: 1)
tf.experimental.dispatch_for_api(tf.reduce_sum)(lambda input_tensor, axis=None, keepdims=False, name=None: 1)
tf.experimental.dispatch_for_api(len, {0: M})(lambda x: 1)
tf.experimental.dispatch_for_api(tf.function, {0: M})(lambda x: 1)
""".strip().splitlines()


def extension_scope(tf: Any) -> dict[str, Any]:
    """The names that expressions on extension types use."""
    base = tf.experimental.ExtensionType

    class M(base):  # type: ignore[misc, valid-type]
        values: tf.Tensor
        mask: tf.Tensor

        def double(self) -> Any:
            return M(self.values * 2, self.mask)

    class A(base):  # type: ignore[misc, valid-type]
        a: int
        b: float = 2.0
        c: str = "x"
        d: bool = True
        e: Optional[tf.Tensor] = None  # noqa: UP045
        f: tuple[int, ...] = ()
        g: Mapping[str, tf.Tensor] = {}
        h: tf.DType = tf.float32
        i: tf.TensorShape = tf.TensorShape([None])
        j: Union[int, tf.Tensor] = 3  # noqa: UP007

    class Checked(base):  # type: ignore[misc, valid-type]
        x: tf.Tensor
        y: tf.Tensor

        def __validate__(self) -> None:
            if self.y.shape != self.x.shape:
                raise ValueError(f"{self.x.shape} and {self.y.shape}")

    class Custom(base):  # type: ignore[misc, valid-type]
        x: tf.Tensor
        n: int

        def __init__(self, x: Any, n: Any = None) -> None:
            self.x = tf.convert_to_tensor(x) * 2
            self.n = 7 if n is None else n

    class Incomplete(base):  # type: ignore[misc, valid-type]
        x: tf.Tensor
        y: int

        def __init__(self, x: Any) -> None:
            self.x = x

    class Wrong(base):  # type: ignore[misc, valid-type]
        x: tf.Tensor

        def __init__(self, x: Any) -> None:
            self.x = x
            self.z = 3

    class Short(base):  # type: ignore[misc, valid-type]
        x: tf.Tensor

    class Longer(Short):
        y: int = 3

    class Ordered(base):  # type: ignore[misc, valid-type]
        x: int = 3
        y: int
        z: float = 1.0
        w: int

    class Nested(base):  # type: ignore[misc, valid-type]
        inner: M
        many: tuple[M, ...]

    class Samples(base):  # type: ignore[misc, valid-type]
        values: tf.Tensor

        class Spec:
            def __init__(self, shape: Any = (None,), dtype: Any = tf.float32) -> None:
                self.values = tf.TensorSpec(shape, dtype)

            @property
            def dtype(self) -> Any:
                return self.values.dtype

    class NoSpec(base):  # type: ignore[misc, valid-type]
        values: tf.Tensor

        class Spec:
            def __init__(self) -> None:
                pass

    class Mapped(base):  # type: ignore[misc, valid-type]
        m: Mapping[str, tf.Tensor]

    class B(tf.experimental.BatchableExtensionType):  # type: ignore[misc]
        x: tf.Tensor
        y: tf.Tensor

    class Double(base):  # type: ignore[misc, valid-type]
        x: tf.Tensor

        @tf.function
        def double(self) -> Any:
            return Double(self.x * 2)

    class Tup(base):  # type: ignore[misc, valid-type]
        t: tuple[int, str]
        u: tuple[tf.Tensor, ...] = ()
        r: Optional[tf.IndexedSlices] = None  # noqa: UP045
        q: Union[tf.IndexedSlices, tf.Tensor, None] = None  # noqa: UP007

    def extension(name: str, body: Any = None, **annotations: Any) -> Any:
        return type(base)(
            name, (base,), {"__annotations__": annotations, "__module__": "m", **(body or {})}
        )

    def traces(function: Any, *arguments: Any) -> int:
        for argument in arguments:
            function(argument)
        return int(function.experimental_get_tracing_count())

    def gradient(watch: Any, compute: Any, sources: Any) -> Any:
        with tf.GradientTape() as tape:
            watch(tape)
            result = compute()
        return tape.gradient(result, sources)

    classes = (
        M, A, Checked, Custom, Incomplete, Wrong, Longer, Ordered, Nested, Samples, NoSpec,
        Mapped, B, Double, Tup,
    )  # fmt: skip
    scope: dict[str, Any] = {cls.__name__: cls for cls in classes}
    m = M([1.0, 2.0, 3.0], [True, False, True])
    return {**scope, "extension": extension, "traces": traces, "gradient": gradient, "m": m}


def dispatched_scope(tf: Any) -> dict[str, Any]:
    """The same names, with handlers registered for `M`."""
    scope = extension_scope(tf)
    M = scope["M"]

    @tf.experimental.dispatch_for_unary_elementwise_apis(M)
    def unary(api: Any, x: Any) -> Any:
        return M(api(x.values), x.mask)

    @tf.experimental.dispatch_for_binary_elementwise_apis(
        Union[M, tf.Tensor],  # noqa: UP007
        Union[M, tf.Tensor],  # noqa: UP007
    )
    def binary(api: Any, x: Any, y: Any) -> Any:
        x = x if isinstance(x, M) else M(x, tf.ones_like(x, tf.bool))
        y = y if isinstance(y, M) else M(y, tf.ones_like(y, tf.bool))
        return M(api(x.values, y.values), x.mask & y.mask)

    @tf.experimental.dispatch_for_binary_elementwise_assert_apis(M, M)
    def asserted(api: Any, x: Any, y: Any) -> Any:
        api(x.values, y.values)
        return "checked"

    @tf.experimental.dispatch_for_api(tf.stack, {"values": list[M]})
    def stack(values: Any, axis: Any = 0) -> Any:
        return M(
            tf.stack([v.values for v in values], axis), tf.stack([v.mask for v in values], axis)
        )

    @tf.experimental.dispatch_for_api(tf.concat, {"values": list[M]})
    def concat(values: Any, axis: Any, name: Any = "x") -> Any:
        return ("concat", len(values), axis, name)

    @tf.experimental.dispatch_for_api(tf.shape, {"input": M})
    def shape(input: Any, out_type: Any = tf.int32) -> Any:
        return tf.shape(input.values, out_type=out_type)

    for _ in range(2):

        @tf.experimental.dispatch_for_api(tf.reduce_max, {0: M})
        def ambiguous(input_tensor: Any, axis: Any = None, keepdims: Any = False) -> Any:
            return 1

    @tf.experimental.dispatch_for_api(tf.reduce_min, {"input_tensor": M})
    def unsure(input_tensor: Any, axis: Any = None, keepdims: Any = False) -> Any:
        return NotImplemented

    return scope


def outcome(expression: str, tf: Any, scope: dict[str, Any]) -> Any:
    """What an expression gives: a description of its value, or of the error."""
    try:
        return describe(tf, eval(expression, {"tf": tf, "np": np, **scope}))
    except Exception as error:  # noqa: BLE001 - any error is an outcome
        words = str(error).partition("\n    in ")[0]  # after that we tell of the call
        return f"{type(error).__name__}: {normalized(words)}"


def describe(tf: Any, value: Any) -> Any:
    """A value as JSON can hold it, the same from both libraries."""
    if isinstance(value, (list, tuple)) and not hasattr(value, "_fields"):
        return [describe(tf, item) for item in value]
    return normalized(repr(value))


def normalized(text: str) -> str:
    """A text without addresses, places, module names and what is said of the graph."""
    text = re.sub(r"0x[0-9a-fA-F]+", "0x", text)
    text = re.sub(r"\b(tensorflow|graphwright)(\.\w+)*\.", "", text)
    text = re.sub(r"(/[\w.-]+)+/(?=\w+\.py\b)", "", text)
    text = re.sub(r'File "[^"]*", line \d+, in \S+\s*', "", text)
    text = re.sub(r"in user code:.*?\n    (\w+): ", "", text, flags=re.DOTALL)
    return re.sub(r"\s+", " ", text).strip()
