"""A stage that only says how its dataset is gone through."""

from __future__ import annotations

from graphwright.data.dataset_options import Options
from graphwright.data.element_type import ElementType
from graphwright.data.stage import Cursor, DatasetStage, PassingCursor


class OptionsStage(DatasetStage):
    """The elements of another stage, with options for iterators over them."""

    type_name = "OptionsDataset"
    is_idle = True

    def __init__(self, element: ElementType, source: DatasetStage, *, options: Options) -> None:
        super().__init__(element, source)
        self.options = options

    @property
    def outline(self) -> str:
        return self.inputs[0].outline  # with other options it goes on at the same place

    def cardinality(self) -> int:
        return self.inputs[0].cardinality()

    def start(self) -> Cursor:
        return PassingCursor(self.inputs[0])
