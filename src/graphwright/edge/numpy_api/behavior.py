"""`experimental_enable_numpy_behavior`: tensors with NumPy's methods and promotion of dtypes."""

from __future__ import annotations

from typing import Any

from graphwright.edge.numpy_api import arrays, elementwise, indexing, products, reductions
from graphwright.edge.numpy_api.promotion import Preference, asarray
from graphwright.op.refusal import boundary
from graphwright.types.composite import Composite
from graphwright.values.operators import Operators
from graphwright.values.tensor import EagerTensor, Tensor

_OPERATORS = {
    "add": elementwise.add,
    "sub": elementwise.subtract,
    "mul": elementwise.multiply,
    "truediv": elementwise.true_divide,
    "floordiv": elementwise.floor_divide,
    "mod": elementwise.mod,
    "pow": elementwise.power,
    "matmul": products.matmul,
    "and": elementwise.bitwise_and,
    "or": elementwise.bitwise_or,
    "xor": elementwise.bitwise_xor,
}
_COMPARISONS = {
    "lt": elementwise.less,
    "le": elementwise.less_equal,
    "gt": elementwise.greater,
    "ge": elementwise.greater_equal,
    "eq": elementwise.equal,
    "ne": elementwise.not_equal,
}
_METHODS = {
    "astype": lambda self, dtype: asarray(self, dtype),
    "clip": elementwise.clip,
    "flatten": arrays.flatten,
    "max": reductions.max,
    "mean": reductions.mean,
    "min": reductions.min,
    "ravel": arrays.ravel,
    "tolist": lambda self: self.numpy().tolist(),
    "transpose": lambda self, *axes: arrays.transpose(self, axes_of(axes)),
}

_PLAIN = dict(vars(Operators))
_PROPERTIES = {"T": arrays.transpose, "data": lambda self: self, "size": reductions.size}


def axes_of(axes: tuple[Any, ...]) -> Any:
    """Axes given one by one or as one list, or None."""
    if not axes:
        return None
    return axes[0] if len(axes) == 1 and not isinstance(axes[0], int) else axes


def reshape(self: Any, *args: Any, **kwargs: Any) -> Any:
    """The elements in another shape, given as one or as several arguments."""
    shape = args[0] if len(args) == 1 else args
    return arrays.reshape(self, shape, kwargs.get("order", "C"))


def experimental_enable_numpy_behavior(
    prefer_float32: bool = False, dtype_conversion_mode: str = "legacy"
) -> None:
    """Gives tensors NumPy's methods, its indexing by arrays and masks, and operators that promote
    dtypes, from now on.

    With `prefer_float32` Python floats count as float32. ValueError for another mode of dtypes than
    "legacy".
    """
    if dtype_conversion_mode != "legacy":
        raise ValueError(
            f"dtype_conversion_mode={dtype_conversion_mode!r} is not there: only 'legacy' is."
        )
    Preference.float32 = prefer_float32
    for name, function in _OPERATORS.items():
        install(f"__{name}__", of_tensors(f"__{name}__", function))
        install(f"__r{name}__", of_tensors(f"__r{name}__", lambda x, y, f=function: f(y, x)))
    for name, function in _COMPARISONS.items():
        install(f"__{name}__", of_tensors(f"__{name}__", function))
    install("__getitem__", indexing.get_item)
    for name, method in _METHODS.items():
        setattr(Tensor, name, lambda self, *args, m=method, **kwargs: m(self, *args, **kwargs))
    Tensor.reshape = reshape  # type: ignore[attr-defined]
    for name, value in _PROPERTIES.items():
        setattr(Tensor, name, property(value))


def of_tensors(name: str, function: Any) -> Any:
    """An operator that is this function for tensors; for None, ragged ones and the like it stays
    what it was."""
    plain = _PLAIN[name]

    def operator(x: Any, y: Any) -> Any:
        other = y is None or isinstance(x, Composite) or isinstance(y, Composite)
        return plain(x, y) if other else function(x, y)

    operator.__qualname__ = f"Tensor.{name}"  # what errors call it
    return boundary(operator)


def install(name: str, operator: Any) -> None:
    """Makes a function the operator of tensors and variables."""
    setattr(Operators, name, operator)
    if name in vars(EagerTensor):  # which takes a shorter way where dtypes agree
        setattr(EagerTensor, name, operator)
