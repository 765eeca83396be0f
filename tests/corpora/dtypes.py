"""Expressions about dtypes of a byte and less, and what is made of their tensors.

`corpora.core.outcome` evaluates them; tools/record_value_goldens.py records TensorFlow's outcomes.
"""

from __future__ import annotations

from collections.abc import Iterator

FLOATS = (
    "float8_e5m2", "float8_e4m3fn", "float8_e4m3fnuz", "float8_e4m3b11fnuz", "float8_e5m2fnuz",
    "float4_e2m1fn",
)  # fmt: skip
INTEGERS = ("int4", "uint4", "int2", "uint2")
NARROW = (*FLOATS, *INTEGERS)
OTHERS = (
    "float16", "bfloat16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8",
    "uint16", "uint32", "uint64", "bool", "complex64", "complex128", "string", "qint8", "quint8",
    "qint32",
)  # fmt: skip
PROPERTIES = (
    "name", "as_datatype_enum", "size", "min", "max", "limits", "is_floating", "is_integer",
    "is_unsigned", "is_complex", "is_bool", "is_quantized", "is_numpy_compatible",
    "as_numpy_dtype", "real_dtype", "base_dtype",
)  # fmt: skip
OF_DTYPE = """
str({d})
repr({d})
tf.as_dtype({d}.as_numpy_dtype) == {d}
tf.as_dtype({d}.as_datatype_enum)
hash({d}) == {d}.as_datatype_enum
"""
VALUES = (
    "1", "1.5", "[1, -1, 3]", "[0.5, 1.5, 100.0]", "[1000]", "True", "'a'", "1j", "[]",
    "[[1.0, 2.0]]", "np.array([1, 2])", "np.array([1.5])",
    "np.array([1.5, -20.0, np.nan, np.inf], np.float32)", "np.array([1, 2, 300, -5], np.int32)",
    "tf.constant(1.0)", "[True]",
)  # fmt: skip
#: What is asked of a tensor x of the dtype d.
OF_TENSOR = """
str({x})
repr({x})
{x}.numpy().dtype
type({x}.numpy()[0]).__name__
[float(v) for v in {x}.numpy()]
tf.identity({x})
tf.reshape({x}, [2, 1])
tf.expand_dims({x}, 0)
tf.concat([{x}, {x}], 0)
tf.stack([{x}, {x}])
tf.gather({x}, [1, 0])
{x}[0]
{x}[:1]
{x} + {x}
-{x}
{x} == {x}
{x} < {x}
tf.zeros([2], {d})
tf.fill([2], {x}[0])
tf.zeros_like({x})
tf.transpose([{x}])
tf.where([True, False], {x}, {x})
tf.tile({x}, [2])
tf.split({x}, 2)
tf.shape({x})
tf.size({x})
tf.reduce_sum({x})
tf.Variable({x})
tf.io.parse_tensor(tf.io.serialize_tensor({x}), {d})
tf.make_tensor_proto({v}, {d})
tf.make_ndarray(tf.make_tensor_proto({v}, {d}))
tf.function(lambda t: tf.cast(t, tf.float32))({x})
tf.stop_gradient({x})
tf.TensorSpec([2], {d})
tf.convert_to_tensor({x}.numpy())
tf.saturate_cast([1.0, 300.0, -300.0], {d})
tf.cast({x}, tf.bool)
tf.math.round({x})
"""
REALS = (
    "[0.0, 1.0, -1.0, 1.5, 2.5, -3.7, 7.0, 8.0, 20.0, 300.0, 1000.0, -0.3, 1e-3, float('nan'), "
    "float('inf'), float('-inf')]"
)
WHOLE, UNSIGNED = "[0, 1, 2, 3, -1, -2, 7, 8, 15, 16, 100, -100]", "[0, 1, 2, 3, 7, 15, 16, 200]"


def corpus() -> Iterator[str]:
    """All expressions."""
    for name in (*NARROW, "quint8", "qint32", "int8", "bfloat16", "bool", "string"):
        dtype = f"tf.as_dtype('{name}')"
        yield from (f"{dtype}.{p}" for p in PROPERTIES)
        yield from lines(OF_DTYPE, d=dtype)
    for name in NARROW:
        dtype = f"tf.dtypes.experimental.{name}"
        yield f"tf.experimental.{name} is {dtype}"
        yield from (f"tf.constant({value}, {dtype})" for value in VALUES)
        value = "[1.0, 0.0]" if name in FLOATS else "[1, 0]"
        yield from lines(OF_TENSOR, x=f"tf.cast(tf.constant({value}), {dtype})", d=dtype, v=value)
        for other in (*OTHERS, *NARROW):
            yield from casts(dtype, other)
    yield from quantized()


def lines(text: str, **parts: str) -> Iterator[str]:
    """The lines of a text with its parts filled in."""
    for line in text.strip().splitlines():
        yield line.format(**parts)


def casts(dtype: str, other: str) -> Iterator[str]:
    """Values of another dtype cast to a narrow one and back, and bits read as the other."""
    there = f"tf.dtypes.experimental.{other}" if other in NARROW else f"tf.{other}"
    if other == "string":
        yield f"tf.cast(tf.constant(['a']), {dtype})"
        return
    start = f"tf.constant({REALS})"
    if "float" not in other:
        start = f"tf.constant({UNSIGNED if 'u' in other else WHOLE})"
    yield f"tf.cast(tf.cast({start}, {there}), {dtype})"
    yield f"tf.cast(tf.cast(tf.constant([0, 1, 2, 3, -1]), {dtype}), {there})"
    yield f"tf.cast(tf.cast(tf.constant([0.0, 1.0, 2.0, 3.0, -1.0]), {dtype}), {there})"
    if other in ("uint8", "int8", "int16", "float32", "qint8", *NARROW):
        yield f"tf.bitcast(tf.cast(tf.constant([0, 1]), {there}), {dtype})"
        yield f"tf.bitcast(tf.cast(tf.constant([0, 1]), {dtype}), {there})"


def quantized() -> Iterator[str]:
    """Quantized integers, which are plain ones in NumPy."""
    for name in ("qint8", "quint8", "qint16", "quint16", "qint32"):
        whole = name.removeprefix("q")
        x = f"tf.bitcast(tf.constant([1, 2], tf.{whole}), tf.{name})"
        yield from (x, f"str({x})", f"{x}.numpy()", f"np.asarray({x}).dtype", f"{x}[0].numpy()")
        yield f"tf.constant({x}.numpy(), tf.{name})"
        yield f"tf.constant([1, 2], tf.{name})"
