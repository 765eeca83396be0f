"""`experimental_enable_numpy_behavior`: tensors with NumPy's methods and promotion of dtypes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from graphwright.function.structure import Outputs
from graphwright.library.numpy import (
    array_functions,
    array_indexing,
    array_products,
    array_reductions,
    array_shapes,
    mode_functions,
    promotion_modes,
)
from graphwright.library.numpy.array_functions import PairFunction
from graphwright.library.numpy.promotion import Preference, asarray
from graphwright.library.numpy.promotion_modes import weak
from graphwright.library.numpy.weak_tensor import WeakTensor
from graphwright.op.late_imports import late_module
from graphwright.op.refusal import boundary
from graphwright.types.arguments import TensorLike, TensorValue
from graphwright.types.composite import Composite
from graphwright.values.tensor import EagerTensor, Tensor
from graphwright.values.tensor_operators import Operators
from graphwright.values.variable import Variable

_OPERATORS = {
    "add": array_functions.add,
    "sub": array_functions.subtract,
    "mul": array_functions.multiply,
    "truediv": array_functions.true_divide,
    "floordiv": array_functions.floor_divide,
    "mod": array_functions.mod,
    "pow": array_functions.power,
    "matmul": array_products.matmul,
    "and": array_functions.bitwise_and,
    "or": array_functions.bitwise_or,
    "xor": array_functions.bitwise_xor,
}
_COMPARISONS = {
    "lt": array_functions.less,
    "le": array_functions.less_equal,
    "gt": array_functions.greater,
    "ge": array_functions.greater_equal,
    "eq": array_functions.equal,
    "ne": array_functions.not_equal,
}
_METHODS = {
    "astype": lambda self, dtype: asarray(self, dtype),
    "clip": array_functions.clip,
    "flatten": array_shapes.flatten,
    "max": array_reductions.max,
    "mean": array_reductions.mean,
    "min": array_reductions.min,
    "ravel": array_shapes.ravel,
    "tolist": lambda self: self.numpy().tolist(),
    "transpose": lambda self, *axes: array_shapes.transpose(self, axes_of(axes)),
}

#: The methods whose results of weak tensors are weak.
_WEAK_METHODS = ("flatten", "max", "mean", "min", "ravel", "reshape", "transpose")

#: The values of `dtype_conversion_mode`.
MODES = ("off", "legacy", "all", "safe")

_PLAIN = dict(vars(Operators))
#: What undoes each change of an attribute of a class, while it is on.
_UNDO: list[Callable[[], None]] = []
_PROPERTIES = {
    "T": array_shapes.transpose,
    "data": lambda self: self,
    "size": array_reductions.size,
}


def axes_of(axes: tuple[TensorLike, ...]) -> Any:
    """The axes, from several arguments or from one list; None for no argument."""
    if not axes:
        return None
    return axes[0] if len(axes) == 1 and not isinstance(axes[0], int) else axes


def reshape(self: TensorValue, *args: Any, **kwargs: Any) -> Any:
    """The tensor in another shape: a list, or an argument for each size."""
    shape = args[0] if len(args) == 1 else args
    return array_shapes.reshape(self, shape, kwargs.get("order", "C"))


def experimental_enable_numpy_behavior(
    prefer_float32: bool = False, dtype_conversion_mode: str = "legacy"
) -> None:
    """Gives tensors NumPy's methods, indexing and promotion of dtypes, from now on.

    Each call sets both anew.

    Args:
        prefer_float32: Whether Python floats count as float32 rather than float64.
        dtype_conversion_mode: How operators and functions promote. "legacy": as NumPy does.
            "all": by a lattice of dtypes, in which values of Python, and tensors made of them
            without a dtype, are weak and adapt. "safe": by the lattice where no digit can get
            lost, with TypeError elsewhere. "off": not at all.

    Raises:
        ValueError: `dtype_conversion_mode` is another.

    >>> import subprocess, sys
    >>> program = '''
    ... import graphwright as tf
    ... tf.experimental.numpy.experimental_enable_numpy_behavior(dtype_conversion_mode="all")
    ... print(tf.constant([1, 2, 3], tf.int8) + 1, tf.constant(1.5))
    ... '''
    >>> done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    >>> print(done.stdout)
    tf.Tensor([2 3 4], shape=(3,), dtype=int8) tf.Tensor(1.5, shape=(), dtype=float32, weak=True)
    """
    if dtype_conversion_mode not in MODES:
        raise ValueError(
            f"The provided promotion mode {dtype_conversion_mode} does not exist. Make sure the "
            "provided dtype conversion mode is one of the followings: 'off', 'legacy', 'safe' or "
            "'all'."
        )
    restore()
    Preference.float32 = prefer_float32
    install_methods()
    if dtype_conversion_mode == "legacy":
        install_legacy_operators()
    elif dtype_conversion_mode != "off":
        install_mode(dtype_conversion_mode)


def restore() -> None:
    """Takes back what `experimental_enable_numpy_behavior` did."""
    while _UNDO:
        _UNDO.pop()()
    mode_functions.uninstall()
    promotion_modes.Mode.name = "legacy"
    Preference.float32 = Preference.is_narrow = False


def install_methods() -> None:
    """Gives tensors NumPy's methods and indexing."""
    install("__getitem__", array_indexing.get_item)
    for name, method in _METHODS.items():
        put(Tensor, name, lambda self, *args, m=method, **kwargs: m(self, *args, **kwargs))
    put(Tensor, "reshape", reshape)
    for name, value in _PROPERTIES.items():
        put(Tensor, name, property(value))


def install_legacy_operators() -> None:
    """Gives tensors operators that are NumPy's functions."""
    for name, function in _OPERATORS.items():
        install(f"__{name}__", of_tensors(f"__{name}__", function))
        install(f"__r{name}__", of_tensors(f"__r{name}__", reflected(function)))
    for name, function in _COMPARISONS.items():
        install(f"__{name}__", of_tensors(f"__{name}__", function))


def install_mode(mode: str) -> None:
    """Gives tensors the operators of a promotion mode, "all" or "safe", and functions its rules."""
    promotion_modes.Mode.name = mode
    Preference.is_narrow = True
    mode_functions.install()
    for name, operator in promotion_modes.operators(_PLAIN).items():
        install(name, operator)
        setattr(WeakTensor, name, operator)
    if mode == "safe":
        kind = late_module("graphwright.ragged.ragged_tensor").RaggedTensor
        put(kind, "__eq__", boundary(promotion_modes.strict_equality(kind.__eq__)))
    for name in ("assign", "assign_add", "assign_sub"):
        put(Variable, name, boundary(promotion_modes.assignment(vars(Variable)[name])))
    put(Outputs, "__init__", promotion_modes.numbers_as_weak(Outputs.__init__))
    for name in _WEAK_METHODS:
        setattr(WeakTensor, name, weak_method(name))
    for name, value in (("T", lambda self: weak(self.tensor.T)), ("data", lambda self: self)):
        setattr(WeakTensor, name, property(value))


def weak_method(name: str) -> Any:
    """The method of weak tensors whose result is weak."""
    return lambda self, *args, **kwargs: weak(getattr(self.tensor, name)(*args, **kwargs))


def reflected(function: PairFunction) -> PairFunction:
    """The function with its operands exchanged."""
    return lambda x1, x2: function(x2, x1)


def of_tensors(name: str, function: PairFunction) -> Any:
    """An operator: the function for tensors, and the plain operator for None and composites."""
    plain = _PLAIN[name]

    def operator(x: TensorLike, y: TensorLike | None) -> Any:
        if y is None or isinstance(x, Composite) or isinstance(y, Composite):
            return plain(x, y)
        return function(x, y)

    operator.__qualname__ = f"Tensor.{name}"  # which errors show
    return boundary(operator)


def install(name: str, operator: object) -> None:
    """Makes a function the operator of tensors and variables."""
    put(Operators, name, operator)
    if name in vars(EagerTensor):  # it has faster ones for equal dtypes
        put(EagerTensor, name, operator)


def put(kind: type, name: str, value: object) -> None:
    """Sets an attribute of a class until `restore`."""
    was_there, before = name in vars(kind), vars(kind).get(name)

    def undo() -> None:
        if vars(kind).get(name) is not value:
            return  # somebody else has set it since
        if was_there:
            setattr(kind, name, before)
        else:
            delattr(kind, name)

    setattr(kind, name, value)
    _UNDO.append(undo)
