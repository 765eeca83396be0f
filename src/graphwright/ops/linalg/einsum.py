"""Sums of products of tensors whose axes are named by letters."""

from __future__ import annotations

import functools
import math
import string
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from graphwright.base.named_tuples import NamedTuple
from graphwright.machine.matmul import matmul
from graphwright.op.batching import Each
from graphwright.op.cotangents import Cotangent
from graphwright.op.expansion import GraphTensor
from graphwright.op.interpreter import apply, convert_many
from graphwright.op.op import Call, Shapes
from graphwright.ops.core.casting import cast
from graphwright.ops.core.creation import ones, ones_like
from graphwright.ops.core.gathering import axis_sizes, host_vector
from graphwright.ops.core.movement import broadcast_to, reshape, sum_to, transpose
from graphwright.ops.core.rule_words import dims_of, widened
from graphwright.ops.core.shapes import shape
from graphwright.ops.linalg.contraction import Contraction, is_written_out, products, total
from graphwright.ops.linalg.matrices import band_part
from graphwright.ops.math.arithmetic import conj
from graphwright.ops.math.reduction import reduce_sum
from graphwright.types import dtypes as dt
from graphwright.types.arguments import Tensor, TensorLike, TensorValue
from graphwright.types.arrays import Array
from graphwright.types.dtypes import DType
from graphwright.types.tensor_type import Dims, TensorType, broadcast_dims, show_dims

NARROW = (dt.float16, dt.bfloat16)


class Terms(NamedTuple):
    """The labels of each operand's axes and of the result's, ellipses spelled out."""

    operands: tuple[str, ...]
    result: str
    stretched: str  # the labels that ellipses stand for: their sizes broadcast


@functools.lru_cache(maxsize=1024)
def parse(equation: str, ranks: tuple[int, ...]) -> Terms:
    """The terms of an equation for operands of these ranks; ValueError if they do not fit."""
    text = equation.replace(" ", "")
    left, arrow, right = text.partition("->")
    operands = left.split(",")
    if len(operands) != len(ranks):
        raise ValueError(
            f"Expected {len(operands)} inputs for equation {equation} but got: {len(ranks)}"
        )
    used = set(text) & set(string.ascii_letters)
    free = [c for c in string.ascii_letters if c not in used]
    widths = [spelled_width(o, r, equation) for o, r in zip(operands, ranks)]
    stretched = "".join(free[: max(widths, default=0)])
    spelled = tuple(
        o.replace("...", stretched[len(stretched) - w :]) for o, w in zip(operands, widths)
    )
    if arrow:
        result = right.replace("...", stretched)
    else:
        letters = "".join(operands).replace(".", "")
        result = stretched + "".join(sorted(c for c in used if letters.count(c) == 1))
    check_terms(equation, spelled, result)
    return Terms(spelled, result, stretched)


def spelled_width(labels: str, rank: int, equation: str) -> int:
    """The number of axes that the ellipsis of an operand stands for."""
    named = len(labels.replace("...", ""))
    if named > rank or ("..." not in labels and named != rank):
        raise ValueError(
            f"Expected input with rank {'at least ' if '...' in labels else ''}{named} for term "
            f"'{labels}' of einsum equation {equation}, got rank {rank}"
        )
    return rank - named if "..." in labels else 0


def check_terms(equation: str, operands: tuple[str, ...], result: str) -> None:
    """ValueError unless terms are letters, and the result has letters of operands, each once."""
    for labels in (*operands, result):
        if any(c not in string.ascii_letters for c in labels):
            raise ValueError(f"Invalid character in einsum equation: {equation}")
    for label in result:
        if not any(label in o for o in operands):
            raise ValueError(
                f"Label '{label}' of the output of einsum equation {equation} is in no input"
            )
        if result.count(label) > 1:
            raise ValueError(
                f"Label '{label}' is repeated in the output of einsum equation {equation}"
            )


def without_repeats(labels: str) -> str:
    """Each label once, in the order of first occurrence."""
    return "".join(dict.fromkeys(labels))


def roles(a: str, b: str, result: str) -> tuple[str, str, str, str]:
    """The labels of a product of two: its leading dimensions, rows, sums and columns."""
    batch = "".join(c for c in result if c in a and c in b)
    rows = "".join(c for c in result if c in a and c not in b)
    inner = "".join(c for c in a if c in b and c not in result)
    columns = "".join(c for c in result if c in b and c not in a)
    return batch, rows, inner, columns


@functools.lru_cache(maxsize=1024)
def contraction(terms: Terms) -> Callable[..., Any]:
    """A kernel for one or two operands: sums, transposes, one product of matrices or elements."""
    if len(terms.operands) == 1:
        text = f"{terms.operands[0]}->{terms.result}"
        return lambda x: np.einsum(text, x)
    a, b = (without_repeats(o) for o in terms.operands)
    batch, rows, inner, columns = roles(a, b, terms.result)
    prepare_a = arranged(terms.operands[0], batch + rows + inner)
    prepare_b = arranged(terms.operands[1], batch + inner + columns)
    order = tuple((batch + rows + columns).index(c) for c in terms.result)
    cut, last = len(batch), len(batch) + len(rows)

    def outer(x: Array, y: Array) -> Any:
        x, y = prepare_a(x), prepare_b(y)
        x = x.reshape(x.shape + (1,) * len(columns))
        y = y.reshape(y.shape[:cut] + (1,) * len(rows) + y.shape[cut:])
        return (x * y).transpose(order)

    def product(x: Array, y: Array) -> Any:
        x, y = prepare_a(x), prepare_b(y)
        left, right = x.shape[cut:last], y.shape[cut + len(inner) :]
        size = math.prod(x.shape[last:])
        if x.shape[last:] != y.shape[cut : cut + len(inner)]:
            raise ValueError(
                f"Expected dimension {show_dims(x.shape[last:])} of labels '{inner}' but got "
                f"{show_dims(y.shape[cut : cut + len(inner)])}"
            )
        x = x.reshape((*x.shape[:cut], math.prod(left), size))
        y = y.reshape((*y.shape[:cut], size, math.prod(right)))
        z = matmul(x, y)
        return z.reshape((*z.shape[:cut], *left, *right)).transpose(order)

    return product if inner else outer


def arranged(labels: str, wanted: str) -> Callable[[Array], Array]:
    """Takes diagonals and sums so that the axes are the wanted labels in that order."""
    if sorted(labels) == sorted(wanted):
        order = tuple(labels.index(c) for c in wanted)
        return lambda x: x.transpose(order)
    text = f"{labels}->{wanted}"
    return lambda x: np.einsum(text, x)


def label_sizes(equation: str, terms: Terms, shapes: Sequence[Dims]) -> dict[str, Dims]:
    """The size of each label, as a shape of one axis; ValueError where operands disagree."""
    sizes: dict[str, Dims] = {}
    for labels, dims in zip(terms.operands, shapes):
        for label, size in zip(labels, dims):
            before = sizes.get(label, (size,))
            if label in terms.stretched:
                sizes[label] = broadcast_dims(before, (size,)) or ()
            elif None not in (*before, size) and before != (size,):
                raise ValueError(
                    f"Expected dimension {before[0]} at axis of label '{label}' of einsum "
                    f"equation {equation} but got dimension {size}"
                )
            else:
                sizes[label] = before if size is None else (size,)
    return sizes


@functools.lru_cache(maxsize=4096)
def planned(equation: str, shapes: tuple[tuple[int, ...], ...]) -> Callable[..., Any]:
    """The kernel for operands of these shapes; ValueError where they do not fit."""
    terms = parse(equation, tuple([len(dims) for dims in shapes]))
    label_sizes(equation, terms, shapes)
    return contraction(terms)


def summed_over(x: GraphTensor, labels: str, others: str) -> tuple[Any, str]:
    """x without the labels that nobody else has, and the labels that are left."""
    axes = [i for i, c in enumerate(labels) if c not in others]
    rest = "".join(c for c in labels if c in others)
    return (reduce_sum(x, axes), rest) if axes else (x, rest)


def in_order(x: GraphTensor, labels: str, wanted: str) -> Any:
    """x with its axes in another order."""
    return x if labels == wanted else transpose(x, [labels.index(c) for c in wanted])


def count(sizes: Dims) -> int | None:
    """The number of elements, if all sizes are known."""
    known = [size for size in sizes if size is not None]
    return math.prod(known) if len(known) == len(sizes) else None


def with_ones(x: GraphTensor, labels: str, wanted: str) -> Any:
    """x with its axes in another order, and axes of one element for the labels that it lacks."""
    present = "".join(c for c in wanted if c in labels)
    x = in_order(x, labels, present)
    sizes = dict(zip(present, dims_of(x)))
    return x if present == wanted else reshape(x, [sizes.get(c, 1) for c in wanted])


def as_matrices(
    x: GraphTensor, labels: str, batch: str, rows: str, columns: str
) -> tuple[Any, bool, list[Any]]:
    """Matrices of these rows and columns, whether they are transposed, and the sizes of both."""
    flip = labels == batch + columns + rows != batch + rows + columns
    first, second = (columns, rows) if flip else (rows, columns)
    x = in_order(x, labels, batch + first + second)
    sizes = dims_of(x)[len(batch) :]
    groups = sizes[: len(first)], sizes[len(first) :]
    if len(first) != 1 or len(second) != 1:
        x = reshape(x, [*dims_of(x)[: len(batch)], *map(total, groups)])
    return x, flip, [*groups[1], *groups[0]] if flip else sizes


class Einsum(Contraction):
    """The sum of products of one or two tensors that an equation of labels describes."""

    type_name = "Einsum"
    inputs = ("inputs: T*",)
    outputs = ("output: T",)
    dtypes = {"T": dt.NUMERIC}
    least = {"inputs": 1}

    equation: str

    def shapes(self, *operands: TensorType) -> Shapes:
        unknown = any(o.dims is None for o in operands)
        if unknown and "." in self.equation:
            result = self.equation.partition("->")[2]
            return ((None,) * len(result) if result and "." not in result else None,)
        names = self.equation.partition("->")[0].split(",") if unknown else [""] * len(operands)
        shapes = [(None,) * len(n) if o.dims is None else o.dims for n, o in zip(names, operands)]
        terms = parse(self.equation, tuple([len(dims) for dims in shapes]))
        sizes = label_sizes(self.equation, terms, shapes)
        return (tuple([sizes[label][0] for label in terms.result]),)

    def bind(self, types: Sequence[DType]) -> Callable[..., Any]:
        return self.narrow_kernel if types[0] in NARROW else self.kernel

    def kernel(self, *arrays: Any) -> Any:
        function = planned(self.equation, tuple([a.shape for a in arrays]))
        return np.asarray(function(*arrays), arrays[0].dtype)

    def narrow_kernel(self, *arrays: Any) -> Any:
        """Sums in float32."""
        wide = [a.astype(np.float32) for a in arrays]
        return self.kernel(*wide).astype(arrays[0].dtype)

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        if "." in self.equation and any(x.type.rank is None for x in call.inputs):
            return loose_cotangents(self.equation, call.inputs, g)
        terms = parse(self.equation, known_ranks(self.equation, call.inputs))
        stretched = terms.stretched
        if len(terms.operands) == 1:
            factors = [(terms.result, g)]
            return (operand_cotangent(terms.operands[0], call.inputs[0], factors, stretched),)
        (a, b), (x, y) = terms.operands, call.inputs
        return (
            operand_cotangent(a, x, [(terms.result, g), (b, conj(y))], stretched),
            operand_cotangent(b, y, [(a, conj(x)), (terms.result, g)], stretched),
        )

    def expand(self, *operands: GraphTensor) -> Any:
        """Sums, transposes and one product, where each label is but once in an operand."""
        terms = parse(self.equation, tuple([x.shape.rank for x in operands]))
        if any(len(set(labels)) < len(labels) for labels in terms.operands):
            return None
        if not set(terms.stretched) <= set(terms.result):
            return None
        wide = [widened(x) for x in operands]
        if len(operands) == 1:
            (z,), (labels,) = wide, terms.operands
            z, labels = summed_over(z, labels, terms.result)
            return cast(in_order(z, labels, terms.result), operands[0].dtype)
        (x, a), (y, b) = [
            summed_over(v, labels, terms.result + other)
            for v, labels, other in zip(wide, terms.operands, terms.operands[::-1])
        ]
        batch, rows, inner, columns = roles(a, b, terms.result)
        if not inner:
            z = with_ones(x, a, terms.result) * with_ones(y, b, terms.result)
            return cast(z, operands[0].dtype)
        if not rows + columns:
            z = with_ones(x, a, batch + inner) * with_ones(y, b, batch + inner)
            z = reduce_sum(z, list(range(len(batch), len(batch + inner))))
            return cast(in_order(z, batch, terms.result), operands[0].dtype)
        x, flip_x, left = as_matrices(x, a, batch, rows, inner)
        y, flip_y, right = as_matrices(y, b, batch, inner, columns)
        z = products(x, y, flip_x, flip_y)
        sizes = [*dims_of(z)[: len(batch)], *left[: len(rows)], *right[len(inner) :]]
        return cast(
            in_order(reshape(z, sizes), batch + rows + columns, terms.result), operands[0].dtype
        )

    def is_product(self, types: Sequence[TensorType]) -> bool:
        if len(types) == 1 or any(type_.dims is None for type_ in types):
            return len(types) > 1
        shapes = [type_.dims or () for type_ in types]
        terms = parse(self.equation, tuple(map(len, shapes)))
        sizes = {c: n for c, (n,) in label_sizes(self.equation, terms, shapes).items()}
        a, b = terms.operands
        batch, rows, inner, columns = roles(a, b, terms.result)
        if not inner or not rows + columns:
            return False
        dims = [tuple([sizes[c] for c in labels]) for labels in (batch, rows, inner, columns)]
        outer, (m, k, n) = dims[0], [count(part) for part in dims[1:]]
        return not is_written_out(outer, (m, k), (k, n))

    def batched(self, each: Each) -> Any:
        terms, _, result = self.equation.replace(" ", "").partition("->")
        row = next(c for c in string.ascii_letters if c not in self.equation)
        operands = zip(terms.split(","), each.stacked)
        longer = ",".join(row + labels if stacked else labels for labels, stacked in operands)
        return apply(Einsum.of(f"{longer}->{row}{result}"), *each.inputs)


def known_ranks(equation: str, operands: Sequence[TensorValue]) -> tuple[int, ...]:
    """The ranks of the operands, by their terms where these have no ellipsis."""
    labels = equation.replace(" ", "").partition("->")[0].split(",")
    ranks = []
    for i, operand in enumerate(operands):
        rank = operand.type.rank
        if rank is None:
            if i >= len(labels) or "." in labels[i]:
                raise ValueError(f"einsum equation {equation} needs operands of known rank")
            rank = len(labels[i])
        ranks.append(rank)
    return tuple(ranks)


def loose_cotangents(equation: str, operands: Sequence[TensorValue], g: Cotangent) -> Sequence[Any]:
    """The cotangents of operands of unknown rank, whose ellipses are equally wide or leading."""
    left, _, result = equation.partition("->")
    sides = left.split(",")
    cotangents = []
    for i, (labels, x) in enumerate(zip(sides, operands)):
        if len(operands) == 1:
            terms, factors = [result, labels], [g, ones_like(x)]
        else:
            terms, factors = [result, sides[1 - i]], [g, conj(operands[1 - i])]
        missing = set(labels) - set("".join(terms))
        if missing or len(set(labels) - {"."}) != len(labels.replace(".", "")):
            raise NotImplementedError(f"the gradient of einsum {equation} of unknown rank")
        target = labels if "." in labels else f"...{labels}"
        cotangent = apply(Einsum.of(f"{','.join(terms)}->{target}"), *factors)
        cotangents.append(sum_to(cotangent, x))
    return cotangents


def operand_cotangent(
    labels: str, x: TensorValue, factors: Sequence[tuple[str, TensorValue]], stretched: str
) -> Any:
    """The cotangent of an operand from that of the result and the other operand.

    A label that was only summed is broadcast, and a repeated one lies on a diagonal. Axes of an
    ellipsis come first, are summed where they were stretched, and go back to their places.
    """
    if stretched:
        dotted = "".join(c for c in labels if c in stretched)
        named = "".join(c for c in labels if c not in stretched)
        order = tuple(labels.index(c) for c in dotted) + tuple(
            i for i, c in enumerate(labels) if c not in stretched
        )
        moved = transpose(x, order)
        result = named_cotangent(named, moved, len(dotted), factors, stretched)
        return transpose(result, tuple(order.index(i) for i in range(len(order))))
    return named_cotangent(labels, x, 0, factors, "")


def named_cotangent(
    labels: str,
    x: TensorValue,
    outer: int,
    factors: Sequence[tuple[str, TensorValue]],
    stretched: str,
) -> Any:
    """The cotangent of an operand whose first `outer` axes an ellipsis stands for."""
    dots = "..." if stretched else ""
    spelled = [spelled_term(term, stretched) for term, _ in factors]
    available = set("".join(spelled))
    unique = without_repeats(labels)
    present = "".join(c for c in unique if c in available)
    equation = f"{','.join(spelled)}->{dots}{present}"
    result = apply(Einsum.of(equation), *[t for _, t in factors])
    sizes = named_sizes(x, outer, len(labels))
    if present != unique:
        front = axis_sizes(result)[: len(stretched)] if stretched else []
        narrow = [sizes[labels.index(c)] if c in present else 1 for c in unique]
        wide = [sizes[labels.index(c)] for c in unique]
        result = reshape(result, host_vector([*front, *narrow]))
        result = broadcast_to(result, host_vector([*front, *wide]))
    if unique != labels:
        result = on_diagonal(labels, unique, result, sizes, dots)
    return sum_to(result, x) if stretched else result


def named_sizes(x: TensorValue, outer: int, count: int) -> list[Any]:
    """The sizes of the axes after the `outer` ones, ints where they are known."""
    if x.type.rank is None:
        return [shape(x)[i] for i in range(outer, outer + count)]
    return axis_sizes(x)[outer:]


def spelled_term(labels: str, stretched: str) -> str:
    """A term with the ellipsis in place of the labels that it stands for."""
    dotted = "".join(c for c in labels if c in stretched)
    return labels.replace(dotted, "...") if dotted else labels


def on_diagonal(
    labels: str, unique: str, x: TensorValue, sizes: Sequence[int | TensorValue], dots: str
) -> Any:
    """Puts a tensor on the diagonal of one whose labels repeat."""
    spelled, current = list(unique), unique
    fresh = iter(c for c in string.ascii_letters if c not in labels)
    target = []
    for axis, label in enumerate(labels):
        if labels.index(label) == axis:
            target.append(label)
            continue
        other = next(fresh)
        target.append(other)
        identity = band_part(ones([sizes[axis], sizes[axis]], x.dtype), 0, 0)
        spelled.append(other)
        longer = "".join(spelled)
        x = apply(Einsum.of(f"{dots}{current},{label}{other}->{dots}{longer}"), x, identity)
        current = longer
    return apply(Einsum.of(f"{dots}{current}->{dots}{''.join(target)}"), x)


def einsum(equation: str, *inputs: TensorLike, **kwargs: Any) -> Tensor:
    """Sums products of tensors as an equation such as "ij,jk->ik" describes.

    Args:
        equation: The axes of the operands, separated by commas, and after "->" those of the
            result. Letters name axes; those that the result lacks are summed over; "..." stands
            for any axes, which broadcast. Without "->" the result has the letters that occur once,
            sorted.
        *inputs: The operands: as many tensors of numbers of one dtype as the equation has.
        **kwargs: `name`, a name for the op, and `optimize`, which has no effect.

    Returns:
        A tensor of the dtype of the operands.

    Raises:
        ValueError: The equation has another number of operands, or its result an unknown letter.
        TypeError: There is another keyword argument.
        InvalidArgumentError: The shapes do not fit the equation (ValueError when traced).

    >>> import graphwright as tf
    >>> tf.einsum("ij,j->i", [[1, 2], [3, 4]], [1, 10])
    <tf.Tensor: shape=(2,), dtype=int32, numpy=array([21, 43], dtype=int32)>
    """
    name = kwargs.pop("name", None)
    kwargs.pop("optimize", None)
    if kwargs:
        raise TypeError(
            "Invalid keyword arguments for this function: "
            + ", ".join(sorted(kwargs))
            + ". Valid keyword arguments are 'name' and 'optimize'."
        )
    if not inputs:
        raise ValueError("At least one input is needed by einsum.")
    check_equation(equation, len(inputs))
    tensors = convert_many(inputs)
    if len(tensors) <= 2:
        return apply(Einsum.of(equation.replace(" ", "")), *tensors, name=name)
    return chained(equation, tensors, name)


@functools.lru_cache(maxsize=1024)
def check_equation(equation: str, count: int) -> None:
    """ValueError for an equation that no operands fit."""
    left, _, result = equation.replace(" ", "").partition("->")
    wanted = left.count(",") + 1
    if wanted != count:
        raise ValueError(f'Got {count} inputs for equation "{equation}", expecting {wanted}')
    for label in result.replace(".", ""):
        if label not in left:
            raise ValueError(
                f"Output subscripts contain the label {label} not present in the input subscripts."
            )


def chained(equation: str, tensors: Sequence[TensorValue], name: str | None) -> Any:
    """The result of an equation of many operands, by products of two at a time."""
    terms = parse(equation, known_ranks(equation, tensors))
    shapes = [t.type.dims or (None,) * len(o) for t, o in zip(tensors, terms.operands)]
    sizes = label_sizes(equation, terms, shapes)
    order = pairs(terms, tuple([(label, size[0]) for label, size in sizes.items()]))
    remaining = list(zip(terms.operands, tensors))
    for i, j in order:
        (b, y), (a, x) = remaining.pop(j), remaining.pop(i)
        needed = set("".join([labels for labels, _ in remaining]) + terms.result)
        pair = [c for c in without_repeats(terms.stretched + a + b) if c in needed & set(a + b)]
        result = "".join(pair) if remaining else terms.result
        left, right, whole = [spelled_term(labels, terms.stretched) for labels in (a, b, result)]
        step = Einsum.of(f"{left},{right}->{whole}")
        remaining.append((result, apply(step, x, y, name=None if remaining else name)))
    return remaining[0][1]


#: The most operands of which all orders are tried, and what an unknown size counts as.
_TRIED, _UNKNOWN = 6, 64


@functools.lru_cache(maxsize=1024)
def pairs(terms: Terms, sizes: tuple[tuple[str, int | None], ...]) -> list[tuple[int, int]]:
    """The operands of each product of two, which then give way to it at the end, by least work."""
    known = dict(sizes)
    shapes = [[known[c] or _UNKNOWN for c in labels] for labels in terms.operands]
    text = f"{','.join(terms.operands)}->{terms.result}"
    how = "optimal" if len(shapes) <= _TRIED else "greedy"
    path, _ = np.einsum_path(text, *[np.broadcast_to(0, dims) for dims in shapes], optimize=how)
    result: list[tuple[int, int]] = []
    for step in path[1:]:
        first, *others = sorted(step)
        last = len(shapes) - len(result) - 1
        for number, other in enumerate(others):  # of more than two: one after the other
            result.append((first, other) if not number else (other - number - 1, last - number))
    return result
