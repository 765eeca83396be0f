"""`tf.onnx`: models in ONNX, written from functions and read as modules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from graphwright.base.files import TextPath
from graphwright.portable.onnx.onnx_types import DEFAULT_OPSET, onnx_package
from graphwright.types.arguments import TensorLike

__all__ = ["export", "load"]


def export(
    f: object,
    path: TextPath,
    opset: int | None = None,
    *,
    input_signature: Sequence[object] | None = None,
    signature: str | None = None,
    external_data: bool | None = None,
) -> None:
    """Writes a function as a model of ONNX, which ONNX Runtime and others run.

    It needs the package `onnx` (the extra `onnx`). The model has the values that variables have
    now. Sizes that a trace does not know stay open. Checks such as `tf.debugging.assert_equal` are
    left out, and random numbers are other ones.

    Args:
        f: A concrete function, or a `tf.function` with an input signature or with one trace. Also
            a module that has one such function, or whose `__call__` is one. Also a model that
            `tf.saved_model.load` has loaded.
        path: The file, as text or a path object.
        opset: The version of ONNX's ops, from 18 to 26. None takes 21.
        input_signature: The types of the arguments, for a function that has none of its own.
        signature: The signature of a loaded model. None takes `serving_default`.
        external_data: Whether large weights go to a file beside the model, with `.data` at the end
            of its name. None does so where the model has no place for them, from 2 GB on.

    Raises:
        ModuleNotFoundError: The package `onnx` is not installed.
        UnimplementedError: Ops have no counterpart in ONNX; all are named, with their lines.
        ValueError: It is not plain which trace is meant, or the opset is not one of those.

    >>> import tempfile, graphwright as tf
    >>> path = tempfile.mkdtemp() + "/line.onnx"
    >>> tf.onnx.export(lambda x: 2.0 * x + 1.0, path, input_signature=[tf.TensorSpec([None])])
    >>> tf.onnx.load(path)(tf.constant([1.0, 2.0])).numpy()
    array([3., 5.], dtype=float32)
    """
    onnx_package()
    from graphwright.portable.onnx.exported_function import exported_function
    from graphwright.portable.onnx.onnx_export import write_model

    concrete = exported_function(f, signature, input_signature)
    write_model(concrete, path, DEFAULT_OPSET if opset is None else opset, external_data)


def load(
    path: TextPath,
    *,
    trainable: bool = False,
    constants: Mapping[str, TensorLike] | None = None,
) -> Any:
    """Returns a module that computes what a model of ONNX says.

    It needs the package `onnx` (the extra `onnx`). The model becomes a graph as a traced function
    does, so gradients and machine code work. The file is checked as it is read, and no file is
    opened but those of its weights, in its folder.

    Args:
        path: The file, as text or a path object.
        trainable: Whether weights of floats become variables, which can be trained.
        constants: Values of inputs that are fixed, by name. Axes and sizes that a model takes as
            inputs must often be known.

    Returns:
        A module. It is called with the inputs by position or by name, and returns the output, or a
        dict of several. `concrete` is the concrete function.

    Raises:
        ModuleNotFoundError: The package `onnx` is not installed.
        InvalidArgumentError: The file is no model, or contradicts itself.
        NotFoundError: The model has ops that graphwright has no counterpart for; all are named.
        PermissionDeniedError: Weights are in a file outside of the folder of the model.
        OSError: A file cannot be read.
        ValueError: `constants` names no input.

    >>> import tempfile, graphwright as tf
    >>> path = tempfile.mkdtemp() + "/square.onnx"
    >>> tf.onnx.export(tf.square, path, input_signature=[tf.TensorSpec([], name="x")])
    >>> model = tf.onnx.load(path)
    >>> model(x=3.0).numpy()
    np.float32(9.0)
    """
    onnx_package()
    from graphwright.portable.onnx.onnx_import import load_model

    return load_model(path, trainable, constants)
