"""Expressions about tensors, conversion and variables whose outcomes TensorFlow recorded.

Each is evaluated with `tf` and `np`; the outcome is the repr of the value, or the class of
the error. `tools/record_core_goldens.py` records them from TensorFlow.
"""

from __future__ import annotations

import copy
import itertools
import pickle
from typing import Any

import numpy as np

VALUES = [
    "1", "-3", "True", "1.5", "float('nan')", "float('inf')", "1j", "'text'", "b'bytes'",
    "2**31", "2**31-1", "-2**31", "2**40", "2**63", "2**64",
    "[]", "[[]]", "[1, 2]", "[1, 2.5]", "[1.5, 2]", "[True, False]", "[[1, 2], [3, 4]]",
    "[[1], [2, 3]]", "['a', b'b']", "[1, 'a']", "None", "[None]", "{}", "object()", "(1, 2)",
    "[1, True]", "[True, 1]", "[1j, 2]", "[2**40, 1]",
    "np.float64(1.5)", "np.float32(1.5)", "np.int64(3)", "np.int8(-3)", "np.uint16(7)",
    "np.array([1, 2])", "np.array([1.5])", "np.array(['a', 'bc'])", "np.array([True])",
    "np.zeros((0, 3), np.float16)", "np.array(1.0)", "np.array([1, 2], dtype='>i4')",
    "[np.float64(1.5), np.float64(2)]", "[np.int8(1), np.int8(2)]", "[np.array([1.0]), np.array([2.0])]",
    "range(3)", "np.datetime64('2020-01-01')", "tf.constant([1.0])", "[tf.constant(1), 2]",
    "[tf.constant(1.5), 2]", "[1, tf.constant(2.5)]", "[[tf.constant(1), 2], [3, 4]]",
]  # fmt: skip
DTYPES = ["tf.float32", "tf.int32", "tf.int8", "tf.uint8", "tf.bool", "tf.string", "tf.complex64",
          "tf.float64", "tf.bfloat16", "tf.int64"]  # fmt: skip

#: Numbers that a dtype does not hold, in a graph.
LARGE = [
    f"tf.{call}"
    for number in ("2**31", "-2**31-1", "2**40", "2**63", "-2**63", "2**64", "1e300")
    for call in (
        f"minimum(tf.constant([1, 2]), {number})", f"less(tf.constant([1, 2]), {number})",
        f"constant([1, 2]) + {number}", f"constant([1.0, 2.0]) * {number}",
        f"where([True, False], tf.constant([1, 2]), {number})", f"fill([2], {number})",
        f"cast({number}, tf.int32)", f"constant([200], tf.uint8) + {number}",
    )
]  # fmt: skip

OPERANDS = [
    "tf.constant(7)", "tf.constant(2.5)", "tf.constant([1, -2, 3])", "tf.constant([1.5, 2.0])",
    "tf.constant(True)", "tf.constant('s')", "tf.constant([[1.0], [2.0]])",
    "tf.constant(3, tf.int64)", "2", "0.5", "-7", "'t'", "True", "np.array([2.0, 4.0])",
    "np.array([1, 2, 3], np.int32)", "[1, 2, 3]", "tf.constant(200, tf.uint8)", "tf.Variable(3.0)",
    "tf.constant(1 + 2j)", "None",
]  # fmt: skip
OPERATORS = ["+", "-", "*", "/", "//", "%", "**", "<", ">=", "==", "!=", "&", "|", "^", "@"]

TENSOR = "tf.reshape(tf.range(24), [2, 3, 4])"
KEYS = [
    "0", "-1", "2", "5", "1:", ":1", "::-1", "..., 0", "0, ...", "0, 1", "0, 1, 2", "0, 1, 2, 3",
    "tf.newaxis", "..., tf.newaxis, 1:3", ":, ::2", ":, 1:1", "::2, -1, 1:-1", "1, :, ::-2",
    "tf.constant(1)", "tf.constant(0):tf.constant(1)", "None, 0", "1.5", "'a'", "[0, 1]",
    "tf.constant([0, 1])", "True", "np.int64(1)", ":, -2:", "::0", "..., ...", "3:", "5:7",
]  # fmt: skip

ONE_BY_ONE = """
tf.constant(2.0).numpy()
tf.constant([1, 2]).numpy()
tf.constant('a').numpy()
str(tf.constant([[1, 2], [3, 4]]))
str(tf.constant(1.5))
str(tf.constant(['a', 'b']))
repr(tf.constant([[1.5, 2.0], [3.0, 4.0]]))
repr(tf.zeros([0, 2]))
tf.constant(1e10)
tf.constant([1e-10, 1.0])
tf.constant(1 + 2j)
tf.constant(True)
tf.constant(1.5, tf.bfloat16)
tf.constant([1.5, 2.0], tf.float16)
tf.constant(7, shape=[2, 2])
tf.constant([1, 2, 3, 4], shape=[2, 2])
tf.constant([1, 2, 3], shape=[2, 2])
tf.constant([1, 2], tf.float64)
len(tf.constant([1, 2, 3]))
len(tf.constant(1))
list(tf.constant([1, 2]))
list(tf.constant(1))
bool(tf.constant(0))
bool(tf.constant([1, 2]))
bool(tf.constant([]))
int(tf.constant(2.7))
float(tf.constant(2))
float(tf.constant([2.0]))
int(tf.constant([1, 2]))
[10, 20, 30][tf.constant(1)]
[10, 20, 30][tf.constant(1.0)]
hash(tf.constant(1))
tf.constant(1).ref() == tf.constant(1).ref()
{tf.constant(1).ref(): 2} is None
tf.constant(1) == None
tf.constant(1) != None
tf.constant([1, 2]) == [1, 3]
tf.constant([1, 2]) == tf.constant([1, 2, 3])
tf.constant([1, 2]) == 'a'
tf.constant([1, 2]) in [tf.constant(5)]
-tf.constant([1, -2])
-tf.constant(3, tf.uint8)
abs(tf.constant([-1.5, 2.0]))
~tf.constant(5)
~tf.constant([True, False])
~tf.constant(1.5)
+tf.constant(1)
tf.constant(1).shape
tf.constant([[1, 2]]).shape
tf.constant([1]).dtype
tf.constant([1]).ndim
tf.constant([1]).device
tf.constant([1]).name
tf.constant([1]).graph
tf.constant([1]).op
copy.copy(tf.constant([1]))
copy.deepcopy(tf.constant([1]))
pickle.loads(pickle.dumps(tf.constant([1.5])))
np.asarray(tf.constant([1, 2]))
np.array(tf.constant(1.5))
np.sin(tf.constant(0.5))
np.add(tf.constant([1, 2]), 1)
np.array([1.0, 2.0], np.float32) + tf.constant([1.0, 2.0])
np.float32(2) * tf.constant([1.0, 2.0])
tf.constant(np.nan) == tf.constant(np.nan)
tf.convert_to_tensor([1, 2], dtype=tf.float32)
tf.convert_to_tensor(1.5, dtype=tf.int32)
tf.convert_to_tensor(1, dtype_hint=tf.float32)
tf.convert_to_tensor('a', dtype_hint=tf.float32)
tf.convert_to_tensor(tf.constant(1), dtype=tf.float32)
tf.is_tensor(tf.constant(1))
tf.is_tensor(tf.Variable(1))
tf.is_tensor(np.array(1))
f'{tf.constant(1.5):.3f}'
f'{tf.constant(7):05d}'
'{}'.format(tf.constant(7))
'{}'.format(tf.constant([1, 2]))
'{}'.format(tf.constant('a'))
'{:.2f}'.format(tf.constant([1.0]))
f'{tf.constant([[1.5]])} {tf.constant([True])!r}'
tf.cast([1.7, -1.7], tf.int32)
tf.cast([0, 1, 2], tf.bool)
tf.cast([True, False], tf.float32)
tf.cast(300, tf.uint8)
tf.cast(1.5 + 2j, tf.float32)
tf.Variable(1.0)
tf.Variable([1, 2], name='v')
tf.Variable(1).dtype
tf.Variable(1.5).shape
tf.Variable([1.0, 2.0]) * 2
tf.Variable(lambda: 3.0)
tf.Variable()
tf.Variable(None)
tf.Variable(1, dtype=tf.float32)
tf.Variable('s')
tf.Variable([1.0, 2.0])[0]
tf.Variable([1.0, 2.0]).numpy()
tf.Variable(1.0).trainable
tf.Variable(1.0, trainable=False).trainable
tf.Variable(1.0).name
tf.Variable(1.0, name='a/b').name
tf.Variable([1.0], shape=tf.TensorShape(None)).assign([1.0, 2.0]).shape
tf.Variable([1.0]).assign([1.0, 2.0])
tf.Variable([1.0]).assign(1)
tf.Variable([1]).assign(1.5)
tf.Variable([1.0, 2.0]).assign_add([1.0, 1.0]).numpy()
tf.Variable([1.0, 2.0]).assign_sub([1.0, 1.0]).numpy()
tf.Variable([1.0, 2.0]).assign_add([1.0]).numpy()
tf.Variable([1.0, 2.0, 3.0]).sparse_read([0, 2])
tf.Variable([1.0, 2.0, 3.0]).sparse_read([3])
tf.Variable([1.0, 2.0, 3.0]).scatter_add(tf.IndexedSlices([1.0, 1.0], [0, 0])).numpy()
tf.Variable([1.0, 2.0, 3.0]).scatter_update(tf.IndexedSlices([5.0], [2])).numpy()
tf.Variable([1.0, 2.0, 3.0]).scatter_sub(tf.IndexedSlices([5.0], [2])).numpy()
tf.Variable([1.0, 2.0, 3.0]).scatter_mul(tf.IndexedSlices([5.0], [2])).numpy()
tf.Variable([1.0, 2.0, 3.0]).scatter_max(tf.IndexedSlices([5.0], [2])).numpy()
tf.Variable([1.0, 2.0, 3.0]).scatter_min(tf.IndexedSlices([5.0], [2])).numpy()
tf.Variable([1.0, 2.0, 3.0]).scatter_div(tf.IndexedSlices([2.0], [2])).numpy()
tf.Variable([1.0, 2.0, 3.0]).scatter_add([1.0])
tf.Variable([1.0, 2.0, 3.0])[0].assign(5.0).numpy()
tf.Variable([1.0, 2.0, 3.0])[-1].assign(5).numpy()
tf.Variable([1.0, 2.0, 3.0])[1:].assign([5.0, 6.0]).numpy()
tf.Variable([1.0, 2.0, 3.0])[1:].assign(5.0).numpy()
tf.Variable([1.0, 2.0, 3.0])[::2].assign([5.0, 6.0]).numpy()
tf.Variable([1.0, 2.0, 3.0])[::-1].assign([5.0, 6.0, 7.0]).numpy()
tf.Variable([1.0, 2.0, 3.0])[...].assign([5.0, 6.0, 7.0]).numpy()
tf.Variable([1.0, 2.0, 3.0])[1:1].assign(tf.zeros([0])).numpy()
tf.Variable([1.0, 2.0, 3.0])[tf.constant(1)].assign(5.0).numpy()
tf.Variable([1.0, 2.0, 3.0])[tf.constant(1, tf.int64):].assign(5.0).numpy()
tf.Variable([[1.0, 2.0], [3.0, 4.0]])[:, 1].assign([5.0, 6.0]).numpy()
tf.Variable([[1.0, 2.0], [3.0, 4.0]])[:, tf.newaxis, 0].assign([[5.0], [6.0]]).numpy()
tf.Variable([[1.0, 2.0], [3.0, 4.0]])[0].assign([[5.0, 6.0]]).numpy()
tf.Variable([[1.0, 2.0], [3.0, 4.0]])[:].assign([5.0, 6.0]).numpy()
tf.Variable([[1.0, 2.0], [3.0, 4.0]])[0].assign([5.0, 6.0, 7.0])
tf.Variable([1.0, 2.0, 3.0])[3].assign(5.0)
tf.Variable([1, 2, 3])[0].assign(1.5)
tf.Variable([1, 2, 3])[0].assign(tf.constant(1.5))
tf.Variable([1.0, 2.0])[tf.constant([True, False])].assign(5.0)
tf.Variable([1.0, 2.0])[0].assign_add(5.0)
tf.constant([1.0, 2.0])[0].assign(5.0)
hasattr(tf.constant(1.0), 'assign')
pickle.loads(pickle.dumps(tf.Variable([1.0, 2.0])[0]))
copy.deepcopy(tf.Variable([1.0, 2.0])[0])
tf.Variable([1.0]) == tf.Variable([1.0])
hash(tf.Variable(1.0))
bool(tf.Variable(0.0))
float(tf.Variable(2.5))
tf.Variable(1.0).read_value()
tf.Variable(1.0).value()
copy.deepcopy(tf.Variable(1.0)).numpy()
len(tf.Variable([1, 2]))
list(tf.Variable([1, 2]))
tf.test.TestCase().assertAllClose([1.0], [1.0 + 1e-7])
tf.test.TestCase().assertAllClose([1.0], [1.1])
tf.test.TestCase().assertAllClose([1.0, float('nan')], [1.0, float('nan')])
tf.test.TestCase().assertAllClose({'a': 1.0}, {'a': tf.constant(1.0)})
tf.test.TestCase().assertAllClose({'a': 1.0}, {'b': 1.0})
tf.test.TestCase().assertAllClose([1.0, 2.0], [[1.0, 2.0]])
tf.test.TestCase().assertAllClose([tf.ones([2]), {'b': 1.0}], [[1.0, 1.0], {'b': 1.0}])
tf.test.TestCase().assertAllClose([tf.ones([2]), {'b': 1.0}], [[1.0, 1.0], {'b': 2.0}])
tf.test.TestCase().assertAllClose(tf.cast([1.0], tf.bfloat16), [1.0])
tf.test.TestCase().assertAllClose(1j, 1j + 1e-3)
tf.test.TestCase().assertAllCloseAccordingToType(tf.cast([1.0], tf.float16), [1.0005])
tf.test.TestCase().assertAllCloseAccordingToType(tf.cast([1.0], tf.bfloat16), [1.005])
tf.test.TestCase().assertAllCloseAccordingToType(tf.cast([1.0], tf.float32), [1.0005])
tf.test.TestCase().assertNotAllClose([1.0], [1.0])
tf.test.TestCase().assertNotAllClose([1.0], [1.1])
tf.test.TestCase().assertAllEqual([1, 2], [1, 2])
tf.test.TestCase().assertAllEqual([1, 2], [1, 3])
tf.test.TestCase().assertAllEqual([1.0, float('nan')], [1.0, float('nan')])
tf.test.TestCase().assertAllEqual([[1, 2]], [1, 2])
tf.test.TestCase().assertAllEqual(tf.Variable([1, 2]), tf.constant([1, 2]))
tf.test.TestCase().assertAllEqual(['a'], [b'a'])
tf.test.TestCase().assertAllEqual(tf.ragged.constant([[1], [2, 3]]), [[1], [2, 3]])
tf.test.TestCase().assertAllEqual(tf.ragged.constant([[1], [2, 3]]), [[1], [2, 4]])
tf.test.TestCase().assertNotAllEqual([1], [1])
tf.test.TestCase().assertAllGreater(tf.constant([1, 2]), 0)
tf.test.TestCase().assertAllGreater([1, 2], 1)
tf.test.TestCase().assertAllLessEqual([1, 2], 2)
tf.test.TestCase().assertAllInRange([1, 2], 1, 2)
tf.test.TestCase().assertAllInRange([1, 2], 1, 2, open_upper_bound=True)
tf.test.TestCase().assertAllInRange([1.0, float('nan')], 0, 2)
tf.test.TestCase().assertAllInSet([1, 2, 2], [1, 2])
tf.test.TestCase().assertAllInSet([1, 2], [1])
tf.test.TestCase().assertNear(1.0, 1.1, 0.2)
tf.test.TestCase().assertNear(1.0, 1.1, 0.01)
tf.test.TestCase().assertArrayNear([1.0, 2.0], [1.0, 2.1], 0.01)
tf.test.TestCase().assertNDArrayNear(np.ones(2), np.ones(2), 0.01)
tf.test.TestCase().assertShapeEqual(np.ones([2]), tf.ones([2]))
tf.test.TestCase().assertShapeEqual(np.ones([2]), tf.ones([3]))
tf.test.TestCase().assertDTypeEqual(tf.ones([2]), 'float32')
tf.test.TestCase().assertDTypeEqual(tf.ones([2]), 'float64')
tf.test.TestCase().assertLen([1, 2], 2)
tf.test.TestCase().assertEmpty([1])
tf.test.TestCase().evaluate({'a': tf.constant(1), 'b': (tf.constant([2]),)})
tf.test.is_gpu_available()
tf.test.gpu_device_name()
tf.test.is_built_with_cuda()
tf.config.experimental.enable_op_determinism()
tf.config.experimental.set_memory_growth(tf.config.list_physical_devices('CPU')[0], True)
tf.config.experimental.get_synchronous_execution()
tf.config.experimental.get_device_details(tf.config.list_physical_devices('CPU')[0])
tf.config.experimental_functions_run_eagerly()
tf.config.optimizer.get_jit()
[tf.config.optimizer.set_jit(v) or tf.config.optimizer.get_jit() for v in (True, False, 'autoclustering', '')]
tf.debugging.get_log_device_placement()
dict(tf.sysconfig.get_build_info())
tf.executing_eagerly()
tf.function(lambda: tf.constant(tf.executing_eagerly()))()
tf.function(lambda x: x.shape)(tf.constant([1, 2]))
tf.function(lambda x: (x, None, [x]))(1)
tf.function(lambda x: {'a': x})(tf.constant(1))
tf.function(lambda x: str(x))(tf.constant(1))
tf.function(lambda x: object())(1)
tf.function(lambda x: x.numpy())(tf.constant(1))
tf.function(lambda x: int(x))(tf.constant(1))
tf.function(lambda x: float(x))(tf.constant(1))
tf.function(lambda x: [1, 2][x])(tf.constant(1))
tf.function(lambda x: len(x), autograph=False)(tf.constant([1]))
tf.function(lambda x: list(x), autograph=False)(tf.constant([1]))
tf.function(lambda x: bool(x), autograph=False)(tf.constant([1]))
tf.function(lambda x: x + 1)()
tf.function(lambda x: x + 1)(1, 2)
tf.function(lambda x: x + 1)(y=1)
tf.function(lambda x, y=2: x * y)(tf.constant(3))
tf.function(lambda *a: len(a))(1, 2, 3)
tf.function(lambda **k: sorted(k))(b=1, a=2)
tf.function(lambda x: x + 'a')(tf.constant(1))
tf.function(lambda x, y: x + y)(tf.constant([1, 2]), tf.constant([1, 2, 3]))
tf.function(lambda x, y: x + y)(tf.constant(1), tf.constant(1.0))
tf.function(lambda x: x[5])(tf.constant([1, 2]))
tf.function(lambda x: tf.reshape(x, [3]))(tf.constant([1, 2]))
tf.function(lambda: tf.Variable(1.0))()
tf.function(lambda x: x, input_signature=[tf.TensorSpec([], tf.int32)])(1.5)
tf.function(lambda x: x, input_signature=[tf.TensorSpec([2], tf.int32)])([1, 2, 3])
tf.function(lambda x: x, input_signature=[tf.TensorSpec([2], tf.int32)])([1, 2])
tf.function(lambda x: x, input_signature=[tf.TensorSpec([None], tf.float32)])([1, 2])
tf.function(lambda x: x).get_concrete_function(tf.TensorSpec([None], tf.float32)).structured_outputs
tf.function(lambda x: x).get_concrete_function(tf.TensorSpec([None], tf.float32)).output_shapes
tf.function(lambda x: x).get_concrete_function(tf.TensorSpec([None], tf.float32)).output_dtypes
tf.function(lambda x, y: x).get_concrete_function(tf.TensorSpec([], tf.int32), 2).structured_input_signature
tf.function(lambda x: x * 2).get_concrete_function(tf.TensorSpec([], tf.int32))(tf.constant(4))
tf.function(lambda x: x * 2).get_concrete_function(tf.TensorSpec([], tf.int32))(4)
tf.function(lambda x: x * 2).get_concrete_function(tf.TensorSpec([], tf.int32))()
tf.function(lambda x: x * 2).get_concrete_function(tf.TensorSpec([], tf.int32))(1, 2)
tf.function(lambda x: x * 2).get_concrete_function(tf.TensorSpec([2], tf.int32))(tf.constant([1, 2, 3]))
str(tf.function(lambda x, y=1: x).get_concrete_function([1, tf.constant(2.0)], y='a'))
str(tf.function(lambda x, y=1: x).get_concrete_function((tf.constant(2.0), {'k': 3})).function_type)
str(tf.function(lambda *args, **kw: args[0]).get_concrete_function(tf.constant(2.0), z=3).function_type)
str(tf.function(lambda x, *, k: x).get_concrete_function(tf.constant(2.0), k=3).function_type)
"""


def corpus() -> list[str]:
    """All expressions, in a fixed order."""
    expressions = [f"tf.constant({v})" for v in VALUES]
    expressions += [f"tf.constant({v}, {d})" for v, d in itertools.product(VALUES, DTYPES)]
    expressions += [f"tf.convert_to_tensor({v})" for v in VALUES]
    calls = [f"tf.constant({v})" for v in VALUES] + LARGE
    calls += [f"tf.constant({v}, {d})" for v, d in itertools.product(VALUES, DTYPES)]
    expressions += [f"tf.function(lambda: {call}, autograph=False)()" for call in calls]
    for (a, b), operator in itertools.product(itertools.product(OPERANDS, OPERANDS), OPERATORS):
        if "tf." in a or "tf." in b:
            expressions.append(f"{a} {operator} {b}")
    expressions += [f"{TENSOR}[{key}]" for key in KEYS]
    expressions += [f"tf.function(lambda x: x[{key}])({TENSOR})" for key in KEYS]
    return expressions + [line for line in ONE_BY_ONE.splitlines() if line]


def outcome(expression: str, tf: Any) -> str:
    """What an expression comes to."""
    names = {"tf": tf, "np": np, "copy": copy, "pickle": pickle}
    try:
        value = eval(expression, names)
        return repr(value)
    except Exception as error:  # noqa: BLE001 - any class is an outcome
        return f"! {type(error).__name__}"
