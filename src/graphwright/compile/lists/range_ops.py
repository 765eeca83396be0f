"""Ops on ranges of a list's items, which only lowering uses."""

from __future__ import annotations

from typing import Any

from graphwright.op.op import Op, Shapes
from graphwright.ops.state.tensor_list import TensorList, check_dtype, filled, refuse
from graphwright.types.arrays import Array


class TensorListAppend(Op):
    """A list of the items of one list, then those of another."""

    type_name = "_TensorListAppend"
    inputs = ("input_handle: variant", "items: variant")
    outputs = ("output_handle: variant",)

    def shapes(self, *operands: Any) -> Shapes:
        return ((),)

    def kernel(self, items: TensorList, others: TensorList) -> TensorList:
        check_dtype(others, items.element_dtype)
        known = None not in (others.dims or (None,))
        return items.extend(filled(others, others.dims, "") if known else others.items)


class TensorListTake(Op):
    """A list without its last `count` items, and the list of these."""

    type_name = "_TensorListTake"
    inputs = ("input_handle: variant", "count: int32")
    outputs = ("output_handle: variant", "items: variant")

    def shapes(self, *operands: Any) -> Shapes:
        return (), ()

    def kernel(self, items: TensorList, count: Array) -> tuple[TensorList, TensorList]:
        rest = len(items) - int(count)
        if not 0 <= rest <= len(items):
            raise refuse(f"Trying to take {count} of {len(items)} items.")
        return items.resize(rest), items.like(items.items[rest:])
