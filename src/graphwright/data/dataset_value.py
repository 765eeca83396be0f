"""Datasets as values of dtype variant, with the type of their elements."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Generic

from graphwright.base.errors import user_location
from graphwright.data.dataset_making import MakeDataset, ReadDataset, Recipe
from graphwright.data.dataset_options import Options
from graphwright.data.element_type import ElementType
from graphwright.data.stage import DatasetStage, StageOrigin
from graphwright.op.interpreter import apply
from graphwright.op.late_imports import late_module
from graphwright.types import dtypes as dt
from graphwright.types.arguments import ShapeLike, TensorLike
from graphwright.types.composite import Composite
from graphwright.types.shape import TensorShape
from graphwright.types.specs import TensorSpec
from graphwright.types.tensor_type import VariantValue
from graphwright.types.type_parameters import Element
from graphwright.types.type_spec import TypeSpec
from graphwright.values.convert import convert
from graphwright.values.tensor import EagerTensor, Tensor

if TYPE_CHECKING:
    from graphwright.data.element_function import ElementFunction

_VARIANT = TensorSpec([], dt.variant)


class DatasetSpec(TypeSpec):
    """The type of datasets with elements of one type.

    Args:
        element_spec: A structure of type specs, of an element.
        dataset_shape: The shape of a tensor of such datasets: () for one.

    >>> import graphwright as tf
    >>> tf.data.DatasetSpec.from_value(tf.data.Dataset.range(3))
    DatasetSpec(TensorSpec(shape=(), dtype=tf.int64, name=None), TensorShape([]))
    """

    __slots__ = ("_dataset_shape", "_element_spec")

    def __init__(self, element_spec: object, dataset_shape: ShapeLike = ()) -> None:
        self._element_spec = element_spec
        self._dataset_shape = TensorShape(dataset_shape)

    @property
    def element_spec(self) -> Any:
        """The structure of type specs of an element."""
        return self._element_spec

    @property
    def value_type(self) -> type:
        """`tf.data.Dataset`."""
        return DatasetValue._class

    @classmethod
    def from_value(cls, value: DatasetValue) -> DatasetSpec:
        """The type of a dataset.

        Args:
            value: The dataset.

        Returns:
            A `tf.data.DatasetSpec`.
        """
        return cls(value.element_spec)

    def _serialize(self) -> tuple[Any, ...]:
        return (self._element_spec, self._dataset_shape)

    @property
    def _component_specs(self) -> Any:
        return _VARIANT

    def _to_components(self, value: DatasetValue | NestedVariant) -> Tensor:
        return value._variant

    def _from_components(self, components: Tensor) -> Any:
        if self._dataset_shape.rank != 0:
            return NestedVariant(components, self)
        return DatasetValue.of(components, ElementType(self._element_spec))

    def _batch(self, batch_size: int | None) -> DatasetSpec:
        shape = TensorShape([batch_size]).concatenate(self._dataset_shape)
        return DatasetSpec(self._element_spec, shape)

    def _unbatch(self) -> DatasetSpec:
        return DatasetSpec(self._element_spec, self._dataset_shape[1:])


class StackedDatasets(VariantValue):
    """Several datasets as the rows of one value of dtype variant."""

    def __init__(self, parts: Sequence[VariantValue]) -> None:
        self.parts = parts


class NestedVariant(Composite):
    """A batch of datasets. `unbatch` gives the datasets again."""

    #: It has tensors, and is none itself.
    _is_native = False

    def __init__(self, variant: Tensor, spec: DatasetSpec) -> None:
        self._variant, self._spec = variant, spec

    @property
    def __graphwright_spec__(self) -> DatasetSpec:
        return self._spec

    def __repr__(self) -> str:
        return f"<NestedVariant {self._spec!r}>"


class DatasetValue(Composite, Generic[Element]):
    """A dataset as a value of graphs; `Dataset` adds the public methods."""

    #: It has tensors, and is none itself.
    _is_native = False
    _variant: Tensor
    _type: ElementType
    #: The class of the datasets that methods return: the one that is made with `is_result`.
    _class: type[DatasetValue]
    _name = "VariantDataset"
    _options = Options()

    def __init_subclass__(cls, is_result: bool = False, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if is_result:
            DatasetValue._class = cls

    @staticmethod
    def of(variant: Tensor, element: ElementType, name: str = "VariantDataset") -> Any:
        """A dataset, made of its value of dtype variant.

        Args:
            variant: A tensor of dtype variant.
            element: The type of the elements.
            name: The kind of dataset that `repr` shows.

        Returns:
            A `tf.data.Dataset`.
        """
        made = DatasetValue._class.__new__(DatasetValue._class)
        made._variant, made._type, made._name = variant, element, name
        return made

    @property
    def element_spec(self) -> Any:
        """The structure of type specs of an element."""
        return self._type.specs

    @property
    def __graphwright_spec__(self) -> DatasetSpec:
        return DatasetSpec(self.element_spec)

    def _sign(self) -> tuple[Any, list[Any]] | None:
        variant = self._variant
        return (self._type.key, [variant]) if type(variant) is EagerTensor else None

    @property
    def _stage(self) -> DatasetStage:
        """The stage of the dataset, which is known where no graph is traced."""
        variant = self._variant
        assert isinstance(variant, EagerTensor)
        stage: DatasetStage = variant._array
        return stage

    def __repr__(self) -> str:
        mark = "" if self._name == "CacheDataset" else "_"  # TensorFlow's class is a public one
        return f"<{mark}{self._name} element_spec={self.element_spec!r}>"

    @abstractmethod
    def __iter__(self) -> Any:
        """The elements one by one."""


DatasetValue._class = DatasetValue  # type: ignore[type-abstract]  # until there is `Dataset`


def stage_class(place: str) -> type[DatasetStage]:
    """A class of `data.stages` by `module:name`; the first such stage imports the module."""
    module, _, name = place.partition(":")
    kind: type[DatasetStage] = getattr(late_module(f"graphwright.data.stages.{module}"), name)
    return kind


def make(
    kind: type[DatasetStage] | str,
    element: ElementType,
    inputs: Sequence[DatasetValue] = (),
    numbers: Sequence[TensorLike] = (),
    functions: Sequence[ElementFunction] = (),
    name: str = "",
    **options: object,
) -> Any:
    """A dataset of another stage.

    Args:
        kind: The class of the stage, or its place for `stage_class`. Its arguments are `element`,
            the stages of `inputs`, the values of `numbers`, the functions, and the options by name.
        element: The type of the elements.
        inputs: The datasets before it.
        numbers: Tensors, whose values the stage gets.
        functions: Functions of elements.
        name: The kind of dataset that `repr` shows, if not that of `kind`.
        **options: Further arguments of the stage, which are no tensors.
    """
    if isinstance(kind, str):
        kind = stage_class(kind)
    tensors = [convert(number) for number in numbers]
    captured = [tensor for function in functions for tensor in function.captured]
    recipe = Recipe(
        kind, element, len(inputs), len(tensors), tuple(functions), tuple(options.items()),
        StageOrigin(user_location()),
    )  # fmt: skip
    before = [dataset._variant for dataset in inputs]
    op = ReadDataset(recipe) if kind.reads_when_made else MakeDataset(recipe)
    variant = apply(op, *before, *tensors, *captured)
    made = DatasetValue.of(variant, element, name or kind.type_name)
    for dataset in inputs:
        if made._options is DatasetValue._options:
            made._options = dataset._options
        elif dataset._options is not DatasetValue._options:
            made._options = made._options.merge(dataset._options)
    return made


def int64(value: TensorLike) -> Tensor:
    """A number as an int64 tensor; TypeError or ValueError if it has another dtype."""
    tensor: Any = value if isinstance(value, Tensor) else convert(value, None, dt.int64)
    if tensor.dtype is dt.int64:
        return tensor
    kind = ValueError if isinstance(value, Tensor) else TypeError
    raise kind(f"a number of elements must be an int64 scalar, not {value!r}")


def function_for(
    function: Callable[..., object], *arguments: DatasetValue | ElementType
) -> ElementFunction:
    """A function of elements, traced."""
    functions: Any = late_module("graphwright.data.element_function")
    types = [a._type if isinstance(a, DatasetValue) else a for a in arguments]
    traced: ElementFunction = functions.ElementFunction(function, *types)
    return traced


def staged(function: Callable[..., object]) -> Callable[..., Any]:
    """A function of the program in the form in which it is traced."""
    forms: Any = late_module("graphwright.autograph.traced_form")
    form: Callable[..., Any] = forms.traced_form(function)
    return form
