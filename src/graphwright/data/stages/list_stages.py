"""Elements of a Python list."""

from __future__ import annotations

from typing import Any

from graphwright.data.blocks import ElementBlock, of_rows
from graphwright.data.element_type import ElementType
from graphwright.data.stages.fixed_stage import FixedStage


class ListStage(FixedStage):
    """Elements that a program gave one by one."""

    type_name = "ListDataset"

    def __init__(self, element: ElementType, *arrays: Any, width: int) -> None:
        rows = [arrays[i : i + width] for i in range(0, len(arrays), width)]
        super().__init__(element, of_rows(rows) if rows else ElementBlock(0, ()))
