"""Derivatives by differences, and what they are compared with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import graphwright as tf
from graphwright.types import dtypes as dt

Function = Callable[..., Any]


def weighted(results: Any) -> Any:
    """A real number that depends on every part of the results in another way."""
    total: Any = 0.0
    for result in results if isinstance(results, (list, tuple)) else [results]:
        if not tf.is_tensor(result) or result.dtype not in dt.INEXACT:
            continue
        places = np.arange(int(np.prod(result.shape))).reshape(result.shape)
        factors = 1 + 0.5 * np.cos(places)
        parts = [result]
        if result.dtype.is_complex:
            parts = [tf.math.real(result), tf.math.imag(result)]
        for turn, part in enumerate(parts):
            total += tf.reduce_sum(part * tf.constant(factors - 0.3 * turn, part.dtype))
    return total


def slopes(function: Function, tensors: Sequence[Any], moving: Sequence[int]) -> list[Any]:
    """The derivatives of the weighted results with regard to the `moving` operands."""
    watched = [tensors[i] for i in moving]
    with tf.GradientTape() as tape:
        tape.watch(watched)
        total = weighted(function(*tensors))
    if not tf.is_tensor(total):
        return [tf.zeros_like(x) for x in watched]
    result = tape.gradient(total, watched, unconnected_gradients="zero")
    return [tf.convert_to_tensor(g) for g in result]


def tangent(
    function: Function, tensors: Sequence[Any], moving: Sequence[int], along: Sequence[Any]
) -> Any:
    """The derivative of the weighted results along a direction, forwards."""
    watched = [tensors[i] for i in moving]
    with tf.autodiff.ForwardAccumulator(watched, [tf.constant(a) for a in along]) as forward:
        total = weighted(function(*tensors))
    return forward.jvp(total, unconnected_gradients="zero")


def differences(function: Function, operands: Sequence[Any], which: int, step: float) -> Any:
    """The derivative with regard to one operand by central differences, in both directions of
    a complex number."""
    x = operands[which]
    result = np.zeros_like(x)
    for direction in (1.0, 1j) if np.iscomplexobj(x) else (1.0,):
        for place in np.ndindex(x.shape):
            ends = []
            for sign in (1, -1):
                moved = x.copy()
                moved[place] += sign * step * direction
                inputs = [moved if i == which else a for i, a in enumerate(operands)]
                ends.append(float(weighted(function(*as_tensors(inputs)))))
            result[place] += direction * (ends[0] - ends[1]) / (2 * step)
    return result


def as_tensors(operands: Sequence[Any]) -> list[Any]:
    """Arrays as tensors, host values as they are."""
    return [tf.constant(x) if isinstance(x, np.ndarray) else x for x in operands]
