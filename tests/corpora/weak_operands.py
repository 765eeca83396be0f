"""What operators and functions give for weak and strong operands, in a promotion mode.

The same code runs in TensorFlow, which records, and here. A result is shown by its dtype, with `*`
behind a weak one, or by `!` and the class of the error.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from corpora.weak_calls import (
    MORE_NUMPY_EXPRESSIONS,
    PROGRAM_EXPRESSIONS,
    RAGGED_EXPRESSIONS,
    program_names,
)

OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "//": operator.floordiv,
    "%": operator.mod,
    "**": operator.pow,
    "@": operator.matmul,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}

#: Calls and operators on the tensors of `tensors`.
EXPRESSIONS = """
tf.constant([1,2])
tf.constant([[1.,2]])
tf.constant(1j)
tf.constant(True)
tf.constant(np.array([1,2]))
tf.constant(np.float32(1))
tf.constant(1<<40)
tf.constant([s,s])
tf.constant(w)
tf.constant(s)
tf.constant(sf)
tf.convert_to_tensor(5)
tf.convert_to_tensor([5.])
tf.convert_to_tensor(w)
tf.Variable(5)
tf.Variable(w)
tf.Variable(5,dtype=tf.int32)
tf.ones([2])
tf.zeros([2])
tf.ones([2],tf.float32)
tf.range(3)
tf.fill([2],3)
tf.ones_like(w)
tf.zeros_like(wf)
tf.Variable(5)+w
tf.Variable(5)+i8
tf.Variable(w)+i8
tf.Variable(5)+1.5
tf.Variable(1,dtype=tf.int8)+w
tf.add(w,wf)
tf.add(s,sf)
tf.add(w,i8)
tf.add(1,i8)
tf.add(1,2.5)
tf.add(1,2)
tf.multiply(w,i8)
tf.concat([[1],[2.]],0)
tf.concat([tf.constant([1]),tf.constant([2.])],0)
tf.concat([tf.constant([1]),tf.constant([2])],0)
tf.stack([w,w])
tf.stack([w,wf])
tf.stack([s,sf])
tf.where([True],w,wf)
tf.where([True],s,sf)
tf.where([True],w,i8)
tf.maximum(w,wf)
tf.maximum(s,sf)
tf.minimum(w,i8)
tf.pow(w,i8)
tf.pow(s,sf)
tf.equal(w,wf)
tf.equal(s,sf)
tf.less(s,sf)
tf.math.divide(w,i8)
tf.divide(s,sf)
tf.matmul([[s]],[[sf]])
tf.matmul([[w]],[[wf]])
tf.subtract(s,sf)
tf.math.floordiv(s,sf)
tf.math.mod(s,sf)
tf.math.atan2(wf,sf)
tf.math.squared_difference(w,sf)
tf.bitwise.bitwise_and(w,i8)
tf.truediv(w,w)
tf.truediv(s,s)
tf.tensordot(tf.constant([1]),tf.constant([1.]),1)
tf.einsum('i,i->i',tf.constant([1]),tf.constant([1.]))
tf.add_n([w,wf])
tf.add_n([w,w])
tf.complex(wf,wf)
tf.math.real(wf)
tf.abs(w)
tf.sqrt(wf)
tf.exp(wf)
tf.sqrt(w)
tf.reduce_sum(tf.constant([1,2]))
tf.reduce_mean(tf.constant([1.,2]))
tf.reduce_max(w)
tf.reshape(w,[1])
tf.transpose(w)
tf.identity(w)
tf.expand_dims(w,0)
tf.squeeze(w)
tf.cast(w,tf.int32)
tf.cast(w,tf.float32)
tf.gather(tf.constant([1,2]),0)
tf.constant([1,2])[0]
tf.argmax(tf.constant([1,2]))
tf.broadcast_to(w,[2])
tf.tile(tf.constant([1]),[2])
tf.shape(w)
tf.size(w)
tf.rank(w)
tf.clip_by_value(w,1,2)
tf.clip_by_value(w,1,2.5)
tf.negative(w)
tf.square(w)
tf.cumsum(tf.constant([1,2]))
tf.nn.relu(wf)
tf.sigmoid(wf)
tf.math.log(wf)
tf.sin(wf)
tf.sort(tf.constant([1,2]))
tf.unstack(tf.constant([1,2]))[0]
tf.split(tf.constant([1,2]),2)[0]
tf.stop_gradient(wf)
tf.repeat(w,2)
tf.math.reduce_std(tf.constant([1.]))
w
wf
w+w
w+wf
w+i8
s+wf
w+1
w+1.5
s+1
s+1.5
s+1j
w+1j
i8+1000
sf+1
1+w
1.5+s
1-i8
w/w
s/s
w/s
i8/i8
w//wf
w**w
-w
abs(w)
~w
w<wf
w==wf
s==sf
w&w
w%w
w@w
s+sf
s+True
w+True
True+wf
w+np.array([1,2])
w+np.array([1.,2.])
np.array([1,2])+w
np.array([1.,2])+s
w+np.float32(1)
np.float32(1)+w
np.int8(1)+w
np.float64(1)+sf
sf+np.float64(1)
sf+np.int64(1)
w+[1,2]
s+[1.,2]
[1,2]+w
w+tf.Variable(5.)
i8+tf.Variable(5)
w.astype(tf.int8)
w.T
w.reshape([1])
w.tensor
""".strip().splitlines()

#: Calls of NumPy's functions on them.
NUMPY_EXPRESSIONS = """
tnp.array(5)
tnp.array([5.])
tnp.asarray(5)
tnp.ones([2])
tnp.arange(3)
tnp.zeros([2])
tnp.full([2],3)
tnp.array(w)
tnp.eye(2)
tnp.linspace(0,1,3)
tnp.array(np.array([1,2]))
tnp.array(1j)
tnp.ones_like(w)
tnp.add(w,wf)
tnp.add(s,sf)
tnp.add(w,i8)
tnp.add(1,i8)
tnp.add(1,2.5)
tnp.multiply(w,i8)
tnp.where([True],w,wf)
tnp.where([True],s,sf)
tnp.where([True],1,i8)
tnp.concatenate([tf.constant([1]),tf.constant([2.])])
tnp.concatenate([tf.constant([1]),tf.constant([2])])
tnp.concatenate([tf.constant([1],tf.int32),tf.constant([2],tf.float32)])
tnp.stack([w,wf])
tnp.stack([w,w])
tnp.stack([s,sf])
tnp.sum(tf.constant([1,2]))
tnp.sum(tf.constant([1,2],tf.int32))
tnp.sum(tf.constant([1,2],tf.int8))
tnp.sum(tf.constant([1,2.]))
tnp.mean(tf.constant([1,2]))
tnp.sqrt(w)
tnp.sqrt(s)
tnp.sqrt(i8)
tnp.exp(wf)
tnp.sin(w)
tnp.abs(w)
tnp.negative(w)
tnp.matmul([[1]],[[1.]])
tnp.maximum(s,sf)
tnp.reshape(w,[1])
tnp.dot(tf.constant([1]),tf.constant([1.]))
tnp.result_type(w,wf)
tnp.result_type(s,sf)
tnp.promote_types(tf.int32,tf.float32)
tnp.true_divide(s,s)
tnp.power(w,i8)
tnp.max(tf.constant([1,2]))
tnp.cumsum(tf.constant([1,2]))
tnp.var(tf.constant([1,2]))
tnp.clip(w,1,2)
tnp.isclose(w,wf)
""".strip().splitlines()

#: NumPy's functions, which are called with each of `_ARRAYS`.
OF_ARRAYS = """
abs absolute add all allclose amax amin angle any append arange arccos arccosh arcsin arcsinh
arctan arctan2 arctanh argmax argmin argsort around array array_equal asanyarray asarray
ascontiguousarray atleast_1d atleast_2d atleast_3d average bitwise_and bitwise_not bitwise_or
bitwise_xor broadcast_arrays broadcast_to cbrt ceil clip compress concatenate conj conjugate copy
cos cosh count_nonzero cross cumprod cumsum deg2rad diag diag_indices diagflat diagonal diff
divide divmod dot dsplit dstack einsum empty empty_like equal exp exp2 expand_dims expm1 eye fabs
fix flatten flip fliplr flipud float_power floor floor_divide full full_like gcd geomspace greater
greater_equal heaviside hsplit hstack hypot identity imag inner isclose iscomplex iscomplexobj
isfinite isinf isnan isneginf isposinf isreal isrealobj isscalar ix_ kron lcm less less_equal
linspace log log10 log1p log2 logaddexp logaddexp2 logical_and logical_not logical_or logical_xor
logspace matmul max maximum mean meshgrid min minimum mod moveaxis multiply nanmean nanprod nansum
ndim negative nextafter nonzero not_equal ones ones_like outer pad polyval positive power prod ptp
rad2deg ravel real reciprocal remainder repeat reshape result_type roll rot90 round select shape
sign signbit sin sinc sinh size sort split sqrt square squeeze stack std subtract sum swapaxes
take take_along_axis tan tanh tensordot tile trace transpose tri tril triu true_divide vander var
vdot vsplit vstack where zeros zeros_like
""".split()  # noqa: SIM905

_ARRAYS = ["w", "wf", "wm", "s", "i8", "sm", "3", "w, wf", "s, sf", "w, i8", "wm, sm", "[wm, sm]"]
_ARRAYS += ["wm, 1", "s, 2.5", "sm, 1, 2"]

#: Functions that are called with a weak matrix of floats, `wm`, and a strong one, `sm`.
OF_ONE = """
tf.abs tf.acos tf.acosh tf.asin tf.asinh tf.atan tf.atanh tf.bitcast tf.clip_by_value tf.cos tf.cosh
tf.cumsum tf.debugging.check_numerics tf.eye tf.exp tf.floor tf.identity tf.linalg.adjoint
tf.linalg.cholesky tf.linalg.det tf.linalg.diag tf.linalg.diag_part tf.linalg.inv
tf.linalg.matrix_transpose tf.linalg.norm tf.linalg.trace tf.linalg.l2_normalize tf.math.angle
tf.math.bessel_i0 tf.math.bessel_i0e tf.math.bessel_i1 tf.math.bessel_i1e tf.math.ceil tf.math.conj
tf.math.cumprod tf.math.cumulative_logsumexp tf.math.digamma tf.math.erf tf.math.erfc
tf.math.erfcinv tf.math.erfinv tf.math.expm1 tf.math.imag tf.math.is_finite tf.math.is_nan
tf.math.lgamma tf.math.log tf.math.log1p tf.math.log_sigmoid tf.math.lbeta tf.math.ndtri
tf.math.negative tf.math.real tf.math.reciprocal tf.math.reciprocal_no_nan
tf.math.reduce_euclidean_norm tf.math.reduce_logsumexp tf.math.reduce_std tf.math.reduce_variance
tf.math.rint tf.math.rsqrt tf.math.sigmoid tf.math.sign tf.math.softplus tf.math.sqrt tf.math.square
tf.math.special.bessel_j0 tf.math.special.bessel_k0 tf.math.special.dawsn
tf.math.special.expint tf.math.special.fresnel_cos tf.math.special.spence
tf.math.zero_fraction tf.nn.elu tf.nn.gelu tf.nn.leaky_relu tf.nn.log_softmax tf.nn.relu6 tf.nn.selu
tf.nn.silu tf.nn.softmax tf.nn.softsign tf.nn.tanh tf.nn.l2_loss tf.ones_like tf.reduce_max
tf.reduce_mean tf.reduce_min tf.reduce_prod tf.reduce_sum tf.round tf.saturate_cast tf.sin tf.sinh
tf.squeeze tf.stop_gradient tf.tan tf.tanh tf.transpose tf.zeros_like tf.math.argmin tf.rank
tf.unstack tf.convert_to_tensor tf.constant tf.nest.flatten tf.math.top_k
tf.math.nextafter tf.image.transpose tf.linalg.band_part tf.linalg.expm tf.linalg.logdet tf.linalg.pinv
""".split()  # noqa: SIM905

#: Functions that are called with pairs of a weak int, a weak float, and strong tensors.
OF_TWO = """
tf.add tf.subtract tf.multiply tf.divide tf.math.floordiv tf.math.floormod tf.math.mod
tf.math.truediv tf.math.divide_no_nan tf.math.multiply_no_nan tf.math.scalar_mul tf.pow
tf.math.maximum tf.math.minimum tf.math.atan2 tf.math.equal tf.math.not_equal tf.math.less
tf.math.greater_equal tf.math.squared_difference tf.math.xlogy tf.math.xlog1py tf.math.xdivy
tf.math.nextafter tf.math.igamma tf.math.igammac tf.math.zeta tf.math.polygamma tf.math.truncatediv
tf.math.truncatemod tf.realdiv tf.complex tf.math.logical_and tf.reshape tf.expand_dims tf.fill
tf.broadcast_to tf.tile tf.repeat tf.roll tf.reverse tf.cast tf.round tf.gather tf.bitwise.bitwise_or
tf.debugging.assert_equal tf.debugging.assert_less tf.range
""".split()  # noqa: SIM905

_PAIRS = ["w, w", "w, wf", "wf, w", "wf, wf", "s, wf", "sf, w", "i8, w", "s, sf", "1, 2.5", "s, 1.5"]

#: Methods that NumPy's behaviour gives.
METHODS = """
T data size max() mean() min() ravel() flatten() transpose() clip(1,2) reshape(4) reshape(2,2)
reshape([1,4]) astype(tf.float64) tolist() numpy()
""".split()  # noqa: SIM905

MORE_EXPRESSIONS = [
    *RAGGED_EXPRESSIONS,
    *[f"{name}({x})" for name in OF_ONE for x in ("wm", "sm", "2.5")],
    *[f"{name}({pair})" for name in OF_TWO for pair in _PAIRS],
    *[f"{x}.{method}" for method in METHODS for x in ("wm", "sm")],
    *[f"tf.matmul({x}, {y})" for x in ("wm", "sm") for y in ("wm", "sm", "[[1, 2], [3, 4]]")],
    *[f"tf.tensordot({x}, {y}, 1)" for x in ("wm", "sm") for y in ("wm", "sm", "[[1, 2], [3, 4]]")],
    *[f"tf.linalg.matvec({x}, [1, 2])" for x in ("wm", "sm")],
    *[f"tf.clip_by_value({x}, {low}, 2)" for x in ("w", "wf", "s", "sf", "5") for low in (1, 1.5)],
    *[f"tf.clip_by_value({x}, 1, {y})" for x in ("w", "s", "i8") for y in ("w", "wf", "s", "sf")],
    "w + (1 << 40)",
    "tf.constant([1 << 40])",
    "tf.constant(5, shape=[2])",
    "tf.constant([])",
    "tf.constant([True])",
    "tf.constant([[1, 2.5]])",
    "tf.constant([1, 1j])",
    "tf.constant(-1)",
    "tf.constant('a')",
    "tf.constant(w, tf.int32)",
    "tf.constant(value=2.5)",
    "tf.add(x=w, y=wf)",
    "tf.add(w, y=2.5)",
    "tf.abs(x=w)",
    "tf.reduce_sum(wm, axis=0)",
    "tf.reduce_sum(input_tensor=wm, axis=0)",
    "s + []",
    "w + None",
    "s == None",
    "w == None",
    "s + 'a'",
    "s == 'a'",
    "w != 'a'",
    "tf.constant('a') + w",
    "tf.constant('a') + 'b'",
    "tf.constant('a') == 'b'",
    "s + [s, 1.5]",
    "w + [np.int8(1)]",
    "s + np.array([True])",
    "w + np.array(['a'])",
    "s + tf.ragged.constant([[1], []])",
    "tf.ragged.constant([[1], []]) + w",
    "tf.ragged.constant([[1], []]) + 1.5",
    "bf + 1",
    "bf + 1.5",
    "bf + True",
    "bf + wf",
    "bf + h",
    "u64 + True",
    "u64 + 1",
    "u64 + i64",
    "i16 + True",
    "c64 + 1.5",
    "c64 + d",
    "c64 + True",
]

ALL_NUMPY_EXPRESSIONS = [
    *NUMPY_EXPRESSIONS,
    *MORE_NUMPY_EXPRESSIONS,
    *[f"tnp.{name}({arrays})" for name in OF_ARRAYS for arrays in _ARRAYS],
]


def tensors(tf: Any) -> dict[str, Any]:
    """Tensors by name: weak ones, and those of a dtype."""
    return {
        "w": tf.constant(5),
        "wf": tf.constant(2.5),
        "wc": tf.constant(1j),
        "s": tf.constant(5, tf.int32),
        "sf": tf.constant(2.5, tf.float32),
        "d": tf.constant(2.5, tf.float64),
        "h": tf.constant(2.5, tf.float16),
        "i8": tf.constant(1, tf.int8),
        "i64": tf.constant(1, tf.int64),
        "u32": tf.constant(1, tf.uint32),
        "bool": tf.constant(True),
    }


def more_tensors(tf: Any) -> dict[str, Any]:
    """Tensors that only expressions have."""
    matrix = [[0.25, 0.5], [0.5, 0.75]]
    return {
        "wm": tf.constant(matrix),
        "sm": tf.constant(matrix, tf.float32),
        "bf": tf.constant(2.5, tf.bfloat16),
        "u64": tf.constant(1, tf.uint64),
        "i16": tf.constant(1, tf.int16),
        "c64": tf.constant(1, tf.complex64),
        "b": tf.constant(True),
    }


def values() -> dict[str, Any]:
    """Operands beside tensors: values of Python and NumPy."""
    return {
        "1": 1,
        "1.5": 1.5,
        "1j": 1j,
        "True": True,
        "[1]": [1],
        "[1.5]": [1.5],
        "np.int8(1)": np.int8(1),
        "np.int64(1)": np.int64(1),
        "np.float32(1)": np.float32(1),
        "np.float64(1)": np.float64(1),
        "np.array([1])": np.array([1]),
        "np.array([1.5])": np.array([1.5]),
    }


def shown(call: Callable[[], Any]) -> str:
    """The dtype of a result, `*` behind a weak one, or the class of an error behind `!`."""
    try:
        return described(call())
    except Exception as error:  # noqa: BLE001 - its class is the result
        return f"!{type(error).__name__}"


def described(result: Any) -> str:
    """The dtype of a result, those of a list, or the name of another type."""
    if isinstance(result, (list, tuple)):
        return f"{type(result).__name__}({','.join(map(described, result))})"
    if isinstance(result, dict):
        return f"dict({','.join([f'{key}={described(x)}' for key, x in result.items()])})"
    if type(result).__name__ == "DType":
        return f"DType.{result.name}"
    name = getattr(getattr(result, "dtype", None), "name", None)
    if not isinstance(name, str):
        return type(result).__name__
    return name + ("*" if "WeakTensor" in type(result).__name__ else "")


def operator_table(tf: Any) -> dict[str, dict[str, str]]:
    """For each operator and first operand, what it gives with each second one; `.` for none."""
    own = tensors(tf) | {"v": tf.Variable(5), "vf": tf.Variable(2.5)}
    operands = own | values()
    table: dict[str, dict[str, str]] = {}
    for sign, function in OPERATORS.items():
        for first, x in operands.items():
            cells = [
                shown(partial(function, x, y)) if first in own or second in own else "."
                for second, y in operands.items()
            ]
            table.setdefault(sign, {})[first] = " ".join(cells)
    return table


def names_of(tf: Any) -> dict[str, Any]:
    """The names in expressions: tensors and modules."""
    return tensors(tf) | more_tensors(tf) | {"tf": tf, "tnp": tf.experimental.numpy, "np": np}


def expression_table(tf: Any, expressions: list[str]) -> dict[str, str]:
    """What each expression gives."""
    names = names_of(tf)
    return {text: shown(partial(eval, text, names)) for text in expressions}


def program_table(tf: Any) -> dict[str, str]:
    """What each of `PROGRAM_EXPRESSIONS` gives."""
    names = names_of(tf) | program_names(tf)
    return {text: shown(partial(eval, text, names)) for text in PROGRAM_EXPRESSIONS}


def traced_table(tf: Any, expressions: list[str]) -> dict[str, str]:
    """What each expression gives in a `tf.function`, whose arguments are the tensors in it."""
    names = names_of(tf)
    table = {}
    for text in expressions:
        code = compile(text, text, "eval")
        used = [n for n in code.co_names if n in names and n not in ("tf", "tnp", "np")]

        def computed(*values: Any, code: Any = code, used: list[str] = used) -> Any:
            return eval(code, names | dict(zip(used, values)))

        traced = tf.function(computed, autograph=False)
        table[text] = shown(partial(traced, *[names[name] for name in used]))
    return table


#: Functions whose values are others in NumPy: it leaves memory as it is, joins the rows of a matrix
#: and rounds a fractional size up.
_NOT_NUMPYS = {"concatenate", "empty", "empty_like", "tri"}


def unlike_numpy(tf: Any) -> tuple[int, list[str]]:
    """The number of calls that NumPy takes too, and those whose values are others there."""
    names = names_of(tf)
    plain = {
        name: value.numpy() if hasattr(value, "numpy") else value for name, value in names.items()
    }
    plain["tnp"] = np
    count, unlike = 0, []
    for function in OF_ARRAYS:
        for arrays in _ARRAYS:
            text = f"tnp.{function}({arrays})"
            if function in _NOT_NUMPYS:
                continue
            try:
                mine, theirs = eval(text, names), eval(text, plain)
            except Exception:  # noqa: BLE001 - one of both takes no such call
                continue
            count += 1
            if not is_near(mine, theirs):
                unlike.append(text)
    return count, unlike


def is_near(mine: Any, theirs: Any) -> bool:
    """Whether two results, or lists of them, are near: NumPy computes of int8 in float16."""
    if isinstance(mine, (list, tuple)):
        return len(mine) == len(theirs) and all(map(is_near, mine, theirs))
    if type(mine).__name__ in ("DType", "TensorShape"):
        return True
    x, y = np.asarray(mine), np.asarray(theirs)
    return x.shape == y.shape and np.allclose(x, y, rtol=1e-3, atol=1e-6, equal_nan=True)
