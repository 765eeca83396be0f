"""The types of values as ONNX's messages say them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from graphwright.portable.onnx.onnx_types import NUMBER_OF, onnx_package
from graphwright.portable.onnx.wire import Wire

if TYPE_CHECKING:
    import onnx


def value_info(wire: Wire, dims: Sequence[int | str | None] | None = None) -> onnx.ValueInfoProto:
    """The message about a value; `dims` may name the sizes that are not known."""
    helper = onnx_package().helper
    if wire.is_list:
        item = NUMBER_OF[wire.item] if wire.item is not None else 0
        of_items = helper.make_sequence_type_proto(helper.make_tensor_type_proto(item, None))
        return helper.make_value_info(wire.name, of_items)
    shape = dims if dims is not None else wire.type.dims
    number = NUMBER_OF.get(wire.dtype, 0)
    return helper.make_tensor_value_info(wire.name, number, shape)
