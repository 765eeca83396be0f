"""Tensors that are divided among devices: made, laid out anew, put together and taken apart."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from graphwright.base.errors import InvalidArgumentError, UnimplementedError, UnknownError
from graphwright.library.dtensor.layout_notes import DEVICE, STATED, layout_of, noted_part
from graphwright.library.dtensor.mesh import Mesh
from graphwright.library.dtensor.mesh_layer import THREAD, lay, mesh_layer
from graphwright.library.dtensor.rank_tensors import part_of
from graphwright.library.dtensor.tensor_layout import Layout
from graphwright.ops.core.identity import identity
from graphwright.trace.symbolic import SymbolicTensor
from graphwright.types import tree
from graphwright.types.arguments import TensorLike
from graphwright.values.convert import convert
from graphwright.values.tensor import EagerTensor, box
from graphwright.values.variable import Variable


def copy_to_mesh(tensor: TensorLike, layout: Layout, source_layout: Layout | None = None) -> Any:
    """Divides a tensor among the devices of a mesh.

    Args:
        tensor: A tensor, or what converts to one, of any dtype and shape.
        layout: A `tf.experimental.dtensor.Layout` of the tensor's rank.
        source_layout: It has no effect.

    Returns:
        A tensor of the same dtype and shape.

    Raises:
        UnknownError: The rank is another, or an axis cannot be divided evenly.

    >>> import graphwright as tf
    >>> dt = tf.experimental.dtensor
    >>> mesh = dt.create_mesh([("x", 1)], devices=["CPU:0"])
    >>> dt.fetch_layout(dt.copy_to_mesh([1, 2], dt.Layout(["x"], mesh))).sharding_specs
    ['x']
    """
    return relayout(convert(tensor), layout)


def relayout(tensor: TensorLike, layout: Layout, name: str | None = None) -> Any:
    """Divides a tensor in another way; inside a function too. Gradients flow through it.

    Args:
        tensor: A tensor, of any dtype and shape.
        layout: A `tf.experimental.dtensor.Layout` of the tensor's rank.
        name: A name for the op.

    Returns:
        A tensor of the same dtype and shape.

    Raises:
        UnknownError: The rank is another, or an axis cannot be divided evenly.

    >>> import graphwright as tf
    >>> dt = tf.experimental.dtensor
    >>> mesh = dt.create_mesh([("x", 1)], devices=["CPU:0"])
    >>> x = dt.copy_to_mesh(tf.ones([2]), dt.Layout.replicated(mesh, 1))
    >>> dt.fetch_layout(dt.relayout(x, dt.Layout(["x"], mesh))).sharding_specs
    ['x']
    """
    given: Any = convert(tensor)
    check_fit(given.type.dims, layout)
    if layout.mesh.ranks is not None and isinstance(given, EagerTensor):
        return mesh_layer().laid_out(given, layout, name)
    result = identity(given, name=name)
    if isinstance(result, SymbolicTensor):
        STATED[result._value.node] = tuple(layout.sharding_specs)
        return result
    return lay(box(given._array) if result is given else result, layout)


def check_fit(dims: Sequence[int | None] | None, layout: Layout) -> None:
    """Raises UnknownError where a layout does not fit a shape."""
    if dims is None:
        return
    if len(dims) != layout.rank:
        raise UnknownError(
            None, None,
            f"A layout of rank {layout.rank} does not fit a tensor of rank {len(dims)}: it needs "
            "matching rank.",
        )  # fmt: skip
    for axis, size in enumerate(dims):
        if size is not None and size % layout.num_shards(axis):
            raise UnknownError(
                None, None,
                f"Axis {axis} has {size} elements, which are not divisible by the "
                f"{layout.num_shards(axis)} shards that {layout.sharding_specs} states.",
            )  # fmt: skip


def relayout_like(tensor: TensorLike, layout_tensor: TensorLike, name: str | None = None) -> Any:
    """Divides a tensor as another one is divided.

    Args:
        tensor: A tensor, of any dtype and shape.
        layout_tensor: A tensor of the same rank that is divided.
        name: A name for the op.

    Returns:
        A tensor of the dtype and shape of `tensor`.

    Raises:
        InvalidArgumentError: `layout_tensor` is not divided.

    >>> import graphwright as tf
    >>> dt = tf.experimental.dtensor
    >>> mesh = dt.create_mesh([("x", 1)], devices=["CPU:0"])
    >>> x = dt.copy_to_mesh(tf.ones([2]), dt.Layout(["x"], mesh))
    >>> dt.fetch_layout(dt.relayout_like([3, 4], x)).sharding_specs
    ['x']
    """
    return relayout(tensor, fetch_layout(layout_tensor), name)


def pack(tensors: Sequence[TensorLike], layout: Layout) -> Any:
    """Puts the parts of all devices together.

    Args:
        tensors: A tensor for each device of the mesh, all of one dtype and shape. On a mesh over
            processes, a list of one tensor: that of this process.
        layout: A `tf.experimental.dtensor.Layout`. Of an axis that is not divided, the parts of the
            first devices count.

    Returns:
        A tensor.

    Raises:
        InvalidArgumentError: There are not as many tensors as devices.
        UnimplementedError: Their shapes differ.

    >>> import graphwright as tf
    >>> dt = tf.experimental.dtensor
    >>> mesh = dt.create_mesh([("x", 1)], devices=["CPU:0"])
    >>> dt.pack([tf.constant([1, 2])], dt.Layout(["x"], mesh)).shape
    TensorShape([2])
    """
    parts = [convert(tensor)._array for tensor in tensors]
    count = layout.mesh.num_local_devices()
    if len(parts) != count:
        raise InvalidArgumentError(
            None, None,
            f"The mesh has {count} devices: pack expected {count} tensors, but got {len(parts)}",
        )  # fmt: skip
    if layout.mesh.ranks is not None:
        return noted_part(np.asarray(parts[0]), layout, mesh_layer())
    shape = np.shape(parts[0])
    if any(np.shape(part) != shape for part in parts):
        raise UnimplementedError(
            None, None, f"The parts of a tensor have one shape, got {[np.shape(p) for p in parts]}"
        )
    whole = np.empty(layout.global_shape_from_local_shape(shape), parts[0].dtype)
    places = pieces(layout, whole.shape)
    for place, part in reversed(list(zip(places, parts))):
        whole[place] = part
    return lay(box(whole), layout)


def pieces(layout: Layout, dims: Sequence[int]) -> list[tuple[slice, ...]]:
    """Which part of a tensor of a shape each device has."""
    sizes = layout.local_shape_from_global_shape(dims)
    return [
        tuple([slice(place * size, (place + 1) * size) for place, size in zip(shard, sizes)])
        for shard in layout.offset_to_shard()
    ]


def unpack(tensor: TensorLike) -> list[Any]:
    """Takes a tensor apart.

    Args:
        tensor: A tensor that is divided.

    Returns:
        A list with the part of each device of this process, as a tensor on that device.

    Raises:
        InvalidArgumentError: The tensor is not divided.

    >>> import graphwright as tf
    >>> dt = tf.experimental.dtensor
    >>> mesh = dt.create_mesh([("x", 1)], devices=["CPU:0"])
    >>> [part.numpy().tolist() for part in dt.unpack(dt.copy_to_mesh([1], dt.Layout(["x"], mesh)))]
    [[1]]
    """
    layout = fetch_layout(tensor)
    whole = convert(tensor)
    devices = layout.mesh.local_devices()
    if layout.mesh.ranks is not None:
        arrays = [part_of(whole)]
    else:
        arrays = [whole._array[place] for place in pieces(layout, whole._array.shape)]
    parts = []
    for array, device in zip(arrays, devices):
        part: Any = box(np.asarray(array))
        part._device = device
        parts.append(part)
    return parts


def fetch_layout(tensor: TensorLike) -> Layout:
    """Returns how a tensor or a variable is divided.

    Args:
        tensor: A tensor or a `tf.experimental.dtensor.DVariable`.

    Returns:
        A `tf.experimental.dtensor.Layout`.

    Raises:
        InvalidArgumentError: It is not divided.

    >>> import graphwright as tf
    >>> dt = tf.experimental.dtensor
    >>> mesh = dt.create_mesh([("x", 1)], devices=["CPU:0"])
    >>> dt.fetch_layout(dt.copy_to_mesh(1.0, dt.Layout([], mesh))).rank
    0
    """
    layout = layout_of(tensor.handle if isinstance(tensor, Variable) else tensor)
    if layout is None:
        raise InvalidArgumentError(
            None, None,
            "fetch_layout expects a tensor that is divided among the devices of a mesh, as "
            "copy_to_mesh makes one.",
        )  # fmt: skip
    return layout


def check_layout(tensor: TensorLike, layout: Layout) -> None:
    """Raises an error where a tensor is divided in another way.

    Args:
        tensor: A tensor that is divided.
        layout: A `tf.experimental.dtensor.Layout`.

    Raises:
        ValueError: The layouts differ.

    >>> import graphwright as tf
    >>> dt = tf.experimental.dtensor
    >>> layout = dt.Layout(["x"], dt.create_mesh([("x", 1)], devices=["CPU:0"]))
    >>> dt.check_layout(dt.copy_to_mesh([1], layout), layout)
    """
    actual = fetch_layout(tensor)
    if actual != layout:
        raise ValueError(f"Layout of tensor: {actual}, did not match expected layout: {layout}")


def is_dtensor(tensor: object) -> bool:
    """Returns whether a tensor or a variable is divided among the devices of a mesh.

    Args:
        tensor: Any object.

    Returns:
        A bool.

    >>> import graphwright as tf
    >>> tf.experimental.dtensor.is_dtensor(tf.ones([2]))
    False
    """
    return layout_of(tensor.handle if isinstance(tensor, Variable) else tensor) is not None


def call_with_layout(
    fn: Callable[..., object], layout: Layout | None, *args: Any, **kwargs: Any
) -> Any:
    """Calls a function, and divides its results.

    Args:
        fn: A function that returns tensors.
        layout: A `tf.experimental.dtensor.Layout` for all of them, or None: they stay as they are.
        *args: The arguments of the function.
        **kwargs: Its arguments by name.

    Returns:
        What the function returns.

    Raises:
        UnknownError: The layout does not fit a result.

    >>> import graphwright as tf
    >>> dt = tf.experimental.dtensor
    >>> layout = dt.Layout(["x"], dt.create_mesh([("x", 1)], devices=["CPU:0"]))
    >>> dt.fetch_layout(dt.call_with_layout(tf.ones, layout, [4])) == layout
    True
    """
    results = fn(*args, **kwargs)
    if layout is None:
        return results
    return tree.map_structure(lambda tensor: relayout(tensor, layout), results)


@contextmanager
def default_mesh(mesh: Mesh) -> Iterator[None]:
    """Opens a block in which new tensors belong to a mesh; each device has all of them.

    Args:
        mesh: A `tf.experimental.dtensor.Mesh`.

    Yields:
        None.

    >>> import graphwright as tf
    >>> dt = tf.experimental.dtensor
    >>> with dt.default_mesh(dt.create_mesh([("x", 1)], devices=["CPU:0"])):
    ...     dt.is_dtensor(tf.ones([2]))
    True
    """
    layer = mesh_layer()
    before, layer.default = layer.default, mesh
    try:
        yield
    finally:
        layer.default = before
        layer.retire()


def get_default_mesh() -> Mesh | None:
    """Returns the mesh of the block of `default_mesh` around, or None.

    Returns:
        A `tf.experimental.dtensor.Mesh`, or None.

    >>> import graphwright as tf
    >>> tf.experimental.dtensor.get_default_mesh()
    """
    return THREAD.layer.default


def device_name() -> str:
    """Returns the name of the device on which divided tensors are.

    Returns:
        A string.

    >>> import graphwright as tf
    >>> tf.experimental.dtensor.device_name()[-8:]
    'CUSTOM:0'
    """
    return DEVICE
