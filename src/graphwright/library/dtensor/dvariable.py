"""Variables that are divided among the devices of a mesh."""

from __future__ import annotations

from typing import Any

from graphwright.base.errors import InvalidArgumentError
from graphwright.library.dtensor.dtensors import relayout
from graphwright.library.dtensor.mesh_layer import lay, layout_of
from graphwright.library.dtensor.tensor_layout import Layout
from graphwright.values.variable import Variable


class DVariable(Variable):
    """A variable that is divided among the devices of a mesh. Assignments keep its layout.

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
        super().__init__(value, *others, **kwargs)
        lay(self._handle, chosen)
        self._layout = chosen

    @property
    def layout(self) -> Layout:
        """How it is divided."""
        return self._layout
