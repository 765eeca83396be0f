"""Variables that are divided among the devices of a mesh."""

from __future__ import annotations

from typing import Any

import numpy as np

from graphwright.base.errors import InvalidArgumentError
from graphwright.library.dtensor.dtensors import relayout
from graphwright.library.dtensor.layout_notes import layout_of
from graphwright.library.dtensor.mesh_layer import lay
from graphwright.library.dtensor.rank_tensors import laid_out, part_of
from graphwright.library.dtensor.tensor_layout import UNSHARDED, Layout
from graphwright.ops.state.variable_ops import Storage
from graphwright.types.arrays import Array
from graphwright.types.tensor_type import Dims, TensorType
from graphwright.values.tensor import box
from graphwright.values.variable import Variable


class WholeStorage:
    """The cells of all ranks as one: reading joins their parts, on all ranks at once.

    Checkpoints read and write it. Ops have the cell of this rank.

    Args:
        cell: The cell of this rank, which has its part.
        layout: A layout on a mesh over ranks.
    """

    def __init__(self, cell: Storage, layout: Layout) -> None:
        self.cell = cell
        self.layout = layout
        self.name = cell.name
        self.owner = cell.owner
        self.value_dtype = cell.value_dtype
        self.dims: Dims = layout.global_shape_from_local_shape(cell.read().shape)
        self.is_set = True
        self.late = None

    @property
    def value_type(self) -> TensorType:
        """The type of the whole."""
        return TensorType(self.value_dtype, self.dims)

    def read(self) -> Array:
        """The whole, as an array."""
        specs = self.layout.sharding_specs
        whole = (UNSHARDED,) * len(specs)
        joined: Any = laid_out(box(self.cell.read()), specs, whole, self.layout.mesh)
        return joined._array

    def assign(self, array: Array) -> None:
        """Gives this rank its part of a whole that all ranks have alike."""
        specs = self.layout.sharding_specs
        whole = (UNSHARDED,) * len(specs)
        part: Any = laid_out(box(np.asarray(array)), whole, specs, self.layout.mesh)
        self.cell.assign(part._array)

    write = assign


class DVariable(Variable):
    """A variable that is divided among the devices of a mesh. Assignments keep its layout.

    On a mesh over processes each has its part. All must read the whole at once, which `numpy` and
    checkpoints do.

    Args:
        *args: The arguments of `tf.Variable`. The first one, `initial_value`, is a tensor that is
            divided, or a function of no arguments that returns one.
        **kwargs: Its arguments by name. `layout`, a `tf.experimental.dtensor.Layout`, divides a
            value that is not divided yet.

    Raises:
        InvalidArgumentError: The value is not divided, and there is no layout.

    >>> import graphwright as tf
    >>> dt = tf.experimental.dtensor
    >>> layout = dt.Layout(["x"], dt.create_mesh([("x", 1)], devices=["CPU:0"]))
    >>> v = dt.DVariable(dt.call_with_layout(tf.ones, layout, [2]))
    >>> v.layout == layout
    True
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        initial, *others = args or [kwargs.pop("initial_value", None)]
        layout: Layout | None = kwargs.pop("layout", None)
        value = initial() if callable(initial) else initial
        value = value if layout is None else relayout(value, layout)
        chosen = layout_of(value)
        if chosen is None:
            raise InvalidArgumentError(
                None, None, "Neither layout nor DTensor initial value are provided."
            )
        is_over_ranks = chosen.mesh.ranks is not None
        value = box(part_of(value)) if is_over_ranks else value
        super().__init__(value, *others, **kwargs)
        if is_over_ranks:
            self._storage = WholeStorage(self._storage, chosen)  # type: ignore[assignment]
        lay(self._handle, chosen)
        self._layout = chosen

    @property
    def layout(self) -> Layout:
        """How it is divided."""
        return self._layout
