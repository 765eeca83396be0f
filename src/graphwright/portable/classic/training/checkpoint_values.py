"""`tf.compat.v1.train.init_from_checkpoint`: initial values of variables out of a checkpoint."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from graphwright.control.graph_variable import GraphVariable
from graphwright.ir.control_edges import waiting
from graphwright.library.checkpoint.checkpoint_reader import load_checkpoint
from graphwright.library.checkpoint.checkpoint_state import latest_checkpoint
from graphwright.library.checkpoint.tensor_bundle import TensorBundle
from graphwright.op.interpreter import apply
from graphwright.op.op import Effect, Op, Shapes, not_differentiable
from graphwright.op.refusal import complete
from graphwright.ops.state.variable_ops import AssignVariableOp
from graphwright.portable.classic.graph_collections import global_variables, open_graph
from graphwright.trace.scopes import executing_eagerly, name_scope
from graphwright.types import dtypes as dt
from graphwright.types.arrays import Array
from graphwright.types.dtypes import DType
from graphwright.types.tensor_type import Dims, TensorType
from graphwright.values.convert import constant


class CheckpointValue(Op):
    """A tensor of a checkpoint, read when it is needed."""

    type_name = "_CheckpointValue"
    message_name = "Restore"
    inputs = ("file_pattern: string", "tensor_name: string")
    outputs = ("tensor: dt",)
    effect = Effect.READ
    gradient = not_differentiable
    private = frozenset({"shape"})

    dt: DType
    shape: Dims | None = None

    def shapes(self, *names: TensorType) -> Shapes:
        return (self.shape,)

    def kernel(self, path: Array, name: Array) -> Any:
        texts = [np.asarray(text, object).item().decode() for text in (path, name)]
        return TensorBundle(texts[0]).read(texts[1])


def init_from_checkpoint(
    ckpt_dir_or_file: str,
    assignment_map: Mapping[str, Any] | Iterable[tuple[str, Any]],
) -> None:
    """Lets initializers of variables give them the values that a checkpoint has.

    Call it before `global_variables_initializer`.

    Args:
        ckpt_dir_or_file: The path of a checkpoint, or a folder, whose newest one is taken.
        assignment_map: A dict, or pairs. `{"old": "new"}` takes a tensor by its name for a variable
            by its name, and `{"old": variable}` for a variable. `{"old/": "new/"}` takes, for all
            variables whose names begin with `new/`, the tensors that are called alike behind
            `old/`; "/" is the root.

    Raises:
        ValueError: The checkpoint or the graph has no such name, or shapes differ.
        NotFoundError: There is no checkpoint.
        RuntimeError: No graph is open.

    >>> import tempfile, graphwright as tf
    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     v = tf.Variable([1.0, 2.0], name="v")
    ...     session.run(v.initializer)
    ...     path = tf.compat.v1.train.Saver().save(session, tempfile.mkdtemp() + "/model")
    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     w = tf.Variable([0.0, 0.0], name="w")
    ...     tf.compat.v1.train.init_from_checkpoint(path, {"v": "w"})
    ...     session.run(tf.compat.v1.global_variables_initializer())
    ...     session.run(w)
    array([1., 2.], dtype=float32)
    """
    if executing_eagerly():
        raise RuntimeError(
            "tf.compat.v1.train.init_from_checkpoint is for variables of graphs: call it in a "
            "block of `tf.Graph().as_default()`. `tf.train.Checkpoint` restores others."
        )
    path = os.fspath(ckpt_dir_or_file)
    shapes = load_checkpoint(path).get_variable_to_shape_map()
    newest = latest_checkpoint(path) if os.path.isdir(path) else path
    pairs = assignment_map.items() if isinstance(assignment_map, Mapping) else assignment_map
    for old, new in sorted(pairs, key=lambda pair: pair[0]):
        for key, variable in variables_of(old, new, shapes, path):
            take(variable, str(newest), key, shapes[key])


def variables_of(
    old: str, new: Any, shapes: Mapping[str, Any], path: str
) -> list[tuple[str, GraphVariable]]:
    """The names of tensors and their variables that one entry of a map states.

    Raises:
        ValueError: The checkpoint or the graph has no such name.
    """
    present = {variable.name.partition(":")[0]: variable for variable in global_variables()}
    if not isinstance(new, str):
        pairs = [(old, new)]
    elif not new.endswith("/"):
        if new not in present:
            words = f"Assignment map with scope only name {new} should map to scope only {old}"
            if old.endswith("/"):
                raise complete(ValueError(f"{words}. Should be 'scope/': 'other_scope/'."))
            raise complete(ValueError(f"the graph has no variable {new!r}: {', '.join(present)}"))
        pairs = [(old, present[new])]
    elif not old.endswith("/"):
        words = f"Assignment map with scope only name {new} should map to scope only {old}"
        raise complete(ValueError(f"{words}. Should be 'scope/': 'other_scope/'."))
    else:
        to, start = new.lstrip("/"), old.lstrip("/")
        pairs = [(start + name[len(to) :], v) for name, v in present.items() if name.startswith(to)]
    for key, variable in pairs:
        if key not in shapes:
            raise complete(ValueError(
                f"Tensor {key} is not found in {path} checkpoint {{{', '.join(sorted(shapes))}}}, "
                f"and is wanted for {variable.name!r}"
            ))  # fmt: skip
    return pairs


def take(variable: GraphVariable, path: str, key: str, shape: list[int]) -> None:
    """Makes a new initializer of a variable; ValueError where the shapes differ."""
    if not variable.shape.is_compatible_with(shape):
        raise complete(ValueError(
            f"Shape of variable {variable.name} ({variable.shape}) doesn't match with shape of "
            f"tensor {key} ({shape}) from checkpoint reader."
        ))  # fmt: skip
    name = f"{variable.name.partition(':')[0]}/from_checkpoint"
    with waiting(open_graph(), None), name_scope(""):
        op = CheckpointValue.of(variable.dtype, tuple(shape))
        texts = constant(path, dt.string), constant(key, dt.string)
        variable._initial_value = value = apply(op, *texts, name=name)
        assign = AssignVariableOp.of(variable.dtype)
        variable._initializer = apply(assign, variable._handle, value, name=f"{name}/Assign")
