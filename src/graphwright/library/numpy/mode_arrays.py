"""NumPy's functions in the promotion modes: how they take operands, and whose results are weak.

Each function computes what it does outside the modes, of plain tensors. A `Preparation` makes these
of the operands. Most functions of two operands promote as outside the modes, as in TensorFlow, save
for lists, which the lattice promotes. `tests/golden/weak_results.json.gz` has TensorFlow's results.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from graphwright.library.numpy import (
    array_creation,
    array_functions,
    array_products,
    array_random,
    array_reductions,
    array_selection,
    array_shapes,
    promotion,
)
from graphwright.library.numpy.dtype_lattice import Promoted
from graphwright.library.numpy.promotion_modes import (
    Function,
    common_kind,
    common_of,
    kind_of,
    not_weak,
    of_kind,
    of_plain,
    plain,
    promoted,
    require_int32,
    weak,
)
from graphwright.op.interpreter import is_tensor
from graphwright.ops.core.casting import cast
from graphwright.types import dtypes as dt
from graphwright.types.arguments import DTypeLike, TensorLike
from graphwright.types.dtypes import DType, as_dtype

#: From the operands: plain ones, and whether the result is weak; for a list of results, of each.
Preparation: TypeAlias = Callable[[Sequence[TensorLike]], tuple[list[Any], bool | list[bool]]]
Rule: TypeAlias = Callable[[Function], Function]

#: The kind of a Python float.
_FLOAT = Promoted(dt.float32, True)

_TYPES: Mapping[object, object] = {bool: False, int: 0, float: 0.0, complex: 0j}


def rule(
    prepare: Preparation, count: int = 1, names: Sequence[str] = (), lists: Sequence[str] = ()
) -> Rule:
    """The rule of functions whose operands `prepare` takes.

    These are the arguments of the first `count` parameters, or those of `names`. An argument of
    `lists` has several of them.
    """

    def made(function: Function) -> Function:
        signature = inspect.signature(function)
        operands = names or list(signature.parameters)[:count]

        def computing(*args: object, **kwargs: object) -> Any:
            try:
                call = signature.bind(*args, **kwargs)
            except TypeError:
                return function(*args, **kwargs)  # whose words name the call
            call.apply_defaults()
            values = call.arguments
            present = [name for name in operands if values[name] is not None]
            groups = [
                list(values[name]) if name in lists and not is_tensor(values[name]) else None
                for name in present
            ]
            flat = [
                value
                for name, group in zip(present, groups)
                for value in ([values[name]] if group is None else group)
            ]
            prepared, is_weak = prepare(flat) if flat else ([], False)
            for name in values.keys() - set(present):
                values[name] = plain(values[name])
            rest = iter(prepared)
            for name, group in zip(present, groups):
                values[name] = next(rest) if group is None else tuple([next(rest) for _ in group])
            return marked(function(*call.args, **call.kwargs), is_weak, values.get("dtype"))

        return computing

    return made


def marked(result: object, is_weak: bool | list[bool], dtype: object) -> Any:
    """A result, or each in a list, as weak where it is so and no dtype is asked for."""
    if dtype is not None:
        return result
    if isinstance(is_weak, bool):
        return weak(result) if is_weak else result
    if isinstance(result, (list, tuple)):
        return type(result)([weak(x) if flag else x for x, flag in zip(result, is_weak)])
    return weak(result) if is_weak[0] else result


# -- preparations -------------------------------------------------------------------------------


def own(values: Sequence[TensorLike]) -> tuple[list[Any], list[bool]]:
    """Each operand in its own dtype; a result is weak where its operand is."""
    kinds = [kind_of(value) for value in values]
    operands = [
        plain(value) if kind is None else of_kind(value, kind.dtype)
        for value, kind in zip(values, kinds)
    ]
    return operands, [kind is not None and kind.weak for kind in kinds]


def strong(prepare: Preparation) -> Preparation:
    """The preparation for functions without weak results."""
    return lambda values: (prepare(values)[0], False)


def common(values: Sequence[TensorLike]) -> tuple[list[Any], bool]:
    """The operands in their common dtype; the result is weak where that is."""
    kind = common_of(values)
    if kind is None:
        return [plain(value) for value in values], False
    return [of_kind(value, kind.dtype) for value in values], kind.weak


def as_before(values: Sequence[TensorLike]) -> tuple[list[Any], bool]:
    """The operands for a function that promotes as outside the modes, save for lists."""
    if any(isinstance(value, (list, tuple)) for value in values):
        return common(values)[0], False
    for value in values:
        if type(value) is int:
            require_int32(value)
    return [plain(value) for value in values], False


def clipped(values: Sequence[TensorLike]) -> tuple[list[Any], bool]:
    """An array and its bounds: a single one as `as_before` has it."""
    return common(values) if len(values) == 3 else as_before(values)


def if_common_float(values: Sequence[TensorLike]) -> tuple[list[Any], bool]:
    """The operands as `as_before` has them, where "safe" promotes them and a Python float."""
    beside_float(common_of(values))
    return doubled(values) if are_ints(values) else as_before(values)


def doubled(values: Sequence[TensorLike]) -> tuple[list[Any], bool]:
    """The operands as float64 where "safe" promotes them, and Python's ints and a Python float."""
    if are_ints(values):
        beside_float(common_of(values))
    return as_doubles(values)[0], False


def are_ints(values: Sequence[object]) -> bool:
    """Whether all operands are Python's ints."""
    return all(isinstance(value, int) for value in values)


def beside_float(kind: Promoted | None) -> Promoted | None:
    """The common dtype of one that is not weak and that of a Python float."""
    kind = not_weak(kind)
    return None if kind is None else promoted(kind, _FLOAT)


def times_float(values: Sequence[TensorLike]) -> tuple[list[Any], bool]:
    """The operand of a product with a Python float."""
    kind = kind_of(values[0])
    product = beside_float(kind)
    if kind is None or product is None:
        return [plain(value) for value in values], False
    return [of_kind(values[0], product.dtype)], kind.weak or product.weak


def as_doubles(values: Sequence[TensorLike]) -> tuple[list[Any], bool]:
    """The operands as float64 or complex128, as beside NumPy's float64."""
    kind = common_of(values)
    if kind is None:
        return [plain(value) for value in values], False
    dtype = dt.complex128 if kind.dtype.is_complex else dt.float64
    return [of_kind(value, dtype) for value in values], kind.weak


def as_floats(values: Sequence[TensorLike]) -> tuple[list[Any], bool]:
    """The operands in the common dtype of them and a Python float."""
    kind = common_kind([*map(kind_of, values), _FLOAT])
    if kind is None:
        return [plain(value) for value in values], False
    return [of_kind(value, kind.dtype) for value in values], False


def as_quotients(values: Sequence[TensorLike]) -> tuple[list[Any], bool]:
    """The operands in the dtype of a quotient of their common one."""
    operands, _ = common(values)
    if operands[0].dtype.is_integer:
        dtype = dt.float32 if operands[0].dtype.size <= 2 else dt.float64
        operands = [cast(operand, dtype) for operand in operands]
    return operands, False


def averaged(values: Sequence[TensorLike]) -> tuple[list[Any], bool]:
    """An array and weights, where "safe" promotes them and float32."""
    array, *weights = [kind_of(value) for value in values]
    common_kind([not_weak(array), *weights, not_weak(_FLOAT)])
    return common(values)


def of_grid(values: Sequence[TensorLike]) -> tuple[list[Any], bool]:
    """Each operand in the common dtype of it and the first one, and none weak."""
    kinds = [kind_of(value) for value in values]
    operands = []
    for value, kind in zip(values, kinds):
        both = common_kind([not_weak(kind), not_weak(kinds[0])])
        operands.append(plain(value) if both is None else of_kind(value, both.dtype))
    return operands, False


def single_own(values: Sequence[TensorLike]) -> tuple[list[Any], list[bool] | bool]:
    """Each operand in its own dtype; the result of a single one is weak where that is."""
    operands, are_weak = own(values)
    return operands, are_weak if len(values) == 1 else False


# -- rules of single functions ------------------------------------------------------------------


def stepping(function: Function) -> Function:
    """`arange`: of the common dtype of the ends, which count as not weak, and the step. The result
    is weak where the first end is."""

    def computing(
        start: TensorLike,
        stop: TensorLike | None = None,
        step: TensorLike = 1,
        dtype: DTypeLike | None = None,
    ) -> Any:
        first, last = kind_of(start), kind_of(start if stop is None else stop)
        if dtype is not None or first is None or last is None:
            return function(plain(start), plain(stop), plain(step), dtype)
        ends = [not_weak(first)] if isinstance(stop, int) else [not_weak(first), not_weak(last)]
        is_other = last.dtype is not first.dtype and not isinstance(stop, (int, np.integer))
        kind = common_kind([*ends, kind_of(step)])
        if is_other:
            raise TypeError(
                f"tf.experimental.numpy.arange takes no stop of {last.dtype.name} for a start of "
                f"{first.dtype.name}, got {stop!r}: convert one, or give dtype="
            )
        common_dtype = None if kind is None else kind.dtype
        result = function(plain(start), plain(stop), plain(step), common_dtype)
        return weak(result) if first.weak else result

    return computing


def spaced(function: Function) -> Function:
    """`linspace`: of the dtype of a quotient of the ends for the dtype None, else of floats."""
    by_float, by_quotient = rule(as_floats, 2)(function), rule(as_quotients, 2)(function)

    def computing(
        start: TensorLike,
        stop: TensorLike,
        num: int = 50,
        endpoint: bool = True,
        retstep: bool = False,
        dtype: DTypeLike | None = float,
        axis: int = 0,
    ) -> Any:
        chosen = by_quotient if dtype is None else by_float
        other = None if dtype is float else dtype
        return chosen(start, stop, num, endpoint, retstep, other, axis)

    return computing


def by_lattice(function: Function) -> Function:
    """`result_type`, by the lattice."""

    def computing(*arrays_and_dtypes: object) -> DType:
        kinds = [kind_of_any(value) for value in arrays_and_dtypes]
        kind = common_kind(kinds) if kinds else None
        if kind is None:
            result: DType = function(*map(plain, arrays_and_dtypes))
            return result
        return kind.dtype

    return computing


def kind_of_any(value: object) -> Promoted | None:
    """The dtype of a value, or of what stands for a dtype."""
    if isinstance(value, type) and value in _TYPES:
        return kind_of(_TYPES[value])
    if isinstance(value, (type, DType)) or type(value).__name__.endswith("DType"):
        dtype = as_dtype(value)
        return Promoted(dtype, False) if dtype in dt.NUMERIC or dtype is dt.bool_ else None
    return kind_of(value)


# -- the table ----------------------------------------------------------------------------------

_C, _F, _P = array_creation, array_functions, array_products
_D, _S, _M = array_reductions, array_selection, array_shapes

_KEEPING = (
    _F.abs, _F.conj, _F.negative, _F.positive, _F.sign, _F.square, _F.reciprocal, _F.bitwise_not,
    _F.arccos, _F.arcsin, _F.arcsinh, _F.arctan, _F.arctanh, _F.cbrt, _F.ceil, _F.cos, _F.cosh,
    _F.deg2rad, _F.exp, _F.exp2, _F.expm1, _F.fabs, _F.fix, _F.floor, _F.log, _F.log1p, _F.sin,
    _F.sinc, _F.sinh, _F.sqrt, _F.tan, _F.tanh, _F.angle, _F.around, _F.imag, _F.real,
    promotion.asarray, _C.array, _C.ascontiguousarray, _C.copy, _C.ones_like, _C.zeros_like,
    _C.full_like, _C.diag, _C.diagflat, _C.diagonal, _C.trace, _C.triu, _C.vander,
    _D.amax, _D.amin, _D.cumprod, _D.cumsum, _D.max, _D.mean, _D.min, _D.nanmean, _D.prod, _D.ptp,
    _D.sort, _D.std, _D.sum, _D.var,
    _M.expand_dims, _M.flatten, _M.flip, _M.fliplr, _M.flipud, _M.moveaxis, _M.ravel, _M.repeat,
    _M.reshape, _M.rot90, _M.squeeze, _M.swapaxes, _M.transpose, _S.diff,
)  # fmt: skip

_STRONG = (
    _F.arccosh, _F.iscomplex, _F.isfinite, _F.isinf, _F.isnan, _F.isneginf, _F.isposinf, _F.isreal,
    _F.logical_not, _F.signbit, _C.tril, _D.all, _D.any, _D.argmax, _D.argmin, _D.argsort,
    _D.count_nonzero, _D.nanprod, _D.nansum, _M.broadcast_to, _M.dsplit, _M.hsplit, _M.pad,
    _M.roll, _M.split, _M.tile, _M.vsplit, _S.iscomplexobj, _S.isrealobj, _S.nonzero, _S.take,
    _S.take_along_axis,
)  # fmt: skip

_PAIRS = (
    _F.add, _F.arctan2, _F.bitwise_and, _F.bitwise_or, _F.bitwise_xor, _F.divmod, _F.floor_divide,
    _F.gcd, _F.heaviside, _F.isclose, _F.allclose, _F.lcm, _F.logical_and, _F.logical_or,
    _F.logical_xor, _F.maximum, _F.minimum, _F.mod, _F.multiply, _F.nextafter, _F.power,
    _F.subtract, _F.true_divide, _P.cross, _P.dot, _P.inner, _P.outer, _P.tensordot, _D.polyval,
)  # fmt: skip

_COMMON = (
    _F.equal, _F.not_equal, _F.less, _F.less_equal, _F.greater, _F.greater_equal, _S.array_equal,
    _M.append, _P.kron, _P.vdot,
)  # fmt: skip

_JOINING = (_M.concatenate, _M.stack, _M.hstack, _M.vstack, _M.dstack)

_PLAIN = (
    _C.zeros, _C.ones, _C.eye, _C.identity, _C.tri, _C.diag_indices, _M.shape, _M.ndim, _D.size,
    _S.isscalar, promotion.promote_types, array_random.seed, array_random.rand,
    array_random.randn, array_random.random, array_random.uniform, array_random.standard_normal,
    array_random.randint, array_random.poisson,
)  # fmt: skip


def of_each(functions: Iterable[Function], made: Rule) -> dict[Function, Rule]:
    """The same rule for each function."""
    return dict.fromkeys(functions, made)


#: The rule of each of NumPy's functions.
RULES: dict[Function, Rule] = {
    **of_each(_KEEPING, rule(own)),
    **of_each(_STRONG, rule(strong(own))),
    **of_each(_PAIRS, rule(as_before, 2)),
    **of_each(_COMMON, rule(strong(common), 2)),
    **of_each(_PLAIN, of_plain),
    _C.arange: stepping,
    _C.linspace: spaced,
    _C.full: rule(strong(own), names=["fill_value"]),
    _D.average: rule(averaged, names=["a", "weights"]),
    _F.clip: rule(strong(clipped), 3),
    _F.hypot: rule(common, 2),
    _F.logaddexp: rule(if_common_float, 2),
    _F.logaddexp2: rule(doubled, 2),
    _F.rad2deg: rule(times_float),
    _P.einsum: rule(strong(common), names=["operands"], lists=["operands"]),
    _P.matmul: rule(common, 2),
    _M.broadcast_arrays: rule(single_own, lists=["args"]),
    _M.meshgrid: rule(of_grid, lists=["xi"]),
    _S.compress: rule(strong(own), names=["a"]),
    _S.ix_: rule(own, lists=["args"]),
    _S.select: rule(strong(common), names=["choicelist", "default"], lists=["choicelist"]),
    _S.where: rule(strong(common), names=["x", "y"]),
    promotion.result_type: by_lattice,
    **of_each((_F.log2, _F.log10), rule(as_doubles)),
    **of_each((_M.atleast_1d, _M.atleast_2d, _M.atleast_3d), rule(own, lists=["arys"])),
    **of_each((_C.logspace, _C.geomspace), rule(as_floats, 2)),
    **{f: rule(strong(common), lists=["arys", "arrays", "tup"]) for f in _JOINING},
}
