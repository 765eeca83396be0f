"""Graphs of one op each go to a message and back, and compute the same bits.

The operands are those of the golden cases.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from support.op_samples import Sample, samples

import graphwright as tf
from graphwright.op.interpreter import apply

v1 = tf.compat.v1

#: Ops of graphwright alone, which no message of TensorFlow has.
OWN = {"CTCLossDense", "GraphwrightWeightedSums"}


def graph_of(sample: Sample) -> tuple[tf.Graph, dict[str, Any], list[str]]:
    """A graph of one op, what is fed to it, and the names of its results."""
    feeds: dict[str, Any] = {}
    op, operands = sample.op, list(sample.operands)
    hosts = op.host_mask(len(operands)) if op.has_host else [False] * len(operands)
    with tf.Graph().as_default() as graph:
        for place, (value, is_host) in enumerate(zip(operands, hosts)):
            if not is_host and isinstance(value, (np.ndarray, np.generic)):
                array = np.asarray(value)
                dtype = tf.string if array.dtype == object else tf.as_dtype(array.dtype)
                operands[place] = v1.placeholder(dtype, array.shape)
                feeds[operands[place].name] = array
        result = apply(op, *operands)
        names = [t.name for t in tf.nest.flatten(result) if t is not None]
    return graph, feeds, names


def has_form(sample: Sample) -> bool:
    """Whether TensorFlow has the attributes of a sample: this op's paddings are ours alone."""
    paddings = getattr(sample.op, "explicit_paddings", ())
    return sample.op.type_name != "MaxPoolGradGrad" or not paddings


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_messages_of_one_op_compute_the_same() -> None:
    wrong, count = [], 0
    for name, several in samples().items():
        if name in OWN:
            continue
        graph, feeds, results = graph_of(next(filter(has_form, several)))
        message = v1.GraphDef.FromString(graph.as_graph_def().SerializeToString())
        with tf.Graph().as_default() as again:
            tf.import_graph_def(message, name="")
        pairs = zip(*[v1.Session(graph=g).run(results, feeds) for g in (graph, again)])
        for before, after in pairs:
            before, after = np.asarray(before), np.asarray(after)
            same = (before.dtype, before.shape) == (after.dtype, after.shape)
            if not same or before.tobytes() != after.tobytes():
                wrong.append(name)
        count += 1
    assert not wrong
    assert count > 250
