"""Connectionist temporal classification: the loss and its gradient.

Source: Graves, Fernandez, Gomez, Schmidhuber, "Connectionist temporal classification" (ICML 2006).
The forward and backward sums run over time in logarithms and float64, all of a batch at once. A
labelling of L symbols has 2 L + 1 states: the symbols, and a blank before, between and after them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from graphwright.types.arrays import Array

Doubles = npt.NDArray[np.float64]
Integers = npt.NDArray[np.integer[Any]]


def ctc_loss(
    labels: Integers,
    logits: Array,
    label_sizes: Integers,
    logit_sizes: Integers,
    blank: int,
    impossible: bool = False,
) -> tuple[Array, Array]:
    """The loss of each sequence [batch] and its gradient [time, batch, classes].

    `labels` [batch, longest] and `logits` [time >= 1, batch, classes] count up to the sizes
    [batch]. A labelling that does not fit in its time has an infinite loss. Its gradient is zero,
    or if `impossible` makes all classes less likely.
    """
    chances = log_softmax(logits.astype(np.float64))
    states = np.full((len(labels), 2 * labels.shape[1] + 1), blank, np.intp)
    states[:, 1::2] = labels
    classes = (states >= 0) & (states < logits.shape[2])
    known = np.where(classes, states, blank)
    emitted = np.take_along_axis(chances, known[None], axis=2)  # [time, batch, states]
    emitted[:, ~classes] = 0.0  # what is no class is sure to be emitted
    skips = np.zeros(states.shape, np.bool_)  # into which states from two before
    skips[:, 3::2] = states[:, 3::2] != states[:, 1:-2:2]  # the blank may be a label as well
    ends = np.arange(states.shape[1]) - 2 * np.asarray(label_sizes)[:, None]
    final = (ends == 0) | (ends == -1)
    sizes = np.asarray(logit_sizes)
    with np.errstate(divide="ignore", invalid="ignore"):
        alpha = _forward(emitted, skips)
        beta = _backward(emitted, skips, final, sizes)
        first = np.logaddexp.reduce(alpha[0] + beta[0], axis=1)
        posterior = np.exp(alpha + beta - first[:, None])
    posterior[~np.isfinite(posterior) | ~classes] = 0.0
    gradient = np.exp(chances)
    batch = np.arange(len(states))[:, None]
    for time in range(len(chances)):
        np.subtract.at(gradient[time], (batch, known), posterior[time])
    gradient *= np.arange(len(chances))[:, None, None] < sizes[:, None]
    if not impossible:
        gradient[:, ~np.isfinite(first)] = 0.0
    return (-first).astype(logits.dtype), gradient.astype(logits.dtype)


def _forward(emitted: Doubles, skips: npt.NDArray[np.bool_]) -> Doubles:
    """log P(states before and at a time, what they emitted)."""
    alpha = np.full(emitted.shape, -np.inf)
    alpha[:1, :, :2] = emitted[:1, :, :2]
    for time in range(1, len(emitted)):
        alpha[time] = _step(alpha[time - 1], skips) + emitted[time]
    return alpha


def _backward(
    emitted: Doubles,
    skips: npt.NDArray[np.bool_],
    final: npt.NDArray[np.bool_],
    sizes: Integers,
) -> Doubles:
    """log P(what is emitted after a time, given its state), from each sequence's own end."""
    beta = np.full(emitted.shape, -np.inf)
    back = np.zeros_like(skips)  # mirrored: the states in reverse order
    back[:, 2:] = skips[:, :1:-1]
    last = np.where(final, 0.0, -np.inf)
    for time in reversed(range(len(emitted))):
        if time + 1 < len(emitted):
            following = beta[time + 1] + emitted[time + 1]
            beta[time] = _step(following[:, ::-1], back)[:, ::-1]
        beta[time] = np.where((sizes == time + 1)[:, None], last, beta[time])
    return beta


def _step(previous: Doubles, skips: npt.NDArray[np.bool_]) -> Doubles:
    """Into each state from itself, the one before and, where allowed, the one before that."""
    total: Doubles = previous.copy()
    total[:, 1:] = np.logaddexp(total[:, 1:], previous[:, :-1])
    skipped = np.where(skips[:, 2:], previous[:, :-2], -np.inf)
    total[:, 2:] = np.logaddexp(total[:, 2:], skipped)
    return total


def log_softmax(logits: Doubles) -> Doubles:
    """The logarithm of the softmax along the last axis."""
    shifted = logits - logits.max(axis=-1, keepdims=True)
    chances: Doubles = shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))
    return chances
