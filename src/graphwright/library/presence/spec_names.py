"""The names that TensorFlow writes of type specs: its own, and those of extension types."""

from __future__ import annotations

from graphwright.control.tensor_array import TensorArraySpec
from graphwright.ragged.row_partition import RowPartitionSpec
from graphwright.ragged.spec import RaggedTensorSpec
from graphwright.types.specs import BoundedTensorSpec, NoneTensorSpec, TensorSpec
from graphwright.types.type_spec import SAVED_SPECS, TypeSpec
from graphwright.values.sparse.sparse_tensor import SparseTensorSpec

SPECS: dict[str, type[TypeSpec]] = {
    f"tf.{spec.__name__}": spec
    for spec in (
        BoundedTensorSpec,
        NoneTensorSpec,
        RaggedTensorSpec,
        RowPartitionSpec,
        SparseTensorSpec,
        TensorArraySpec,
        TensorSpec,
    )
}


def get_name(cls: type[TypeSpec]) -> str:
    """The name of a class of specs; ValueError where it has none."""
    for name, spec in (*SPECS.items(), *SAVED_SPECS.items()):
        if spec is cls:
            return name
    raise ValueError(
        f"TypeSpec {cls.__module__}.{cls.__name__} has not been registered. An extension type is, "
        "where its class has a field `__name__` with the name that files have for it."
    )


def lookup(name: str) -> type[TypeSpec]:
    """The class of specs of a name; ValueError where there is none."""
    spec = SPECS.get(name) or SAVED_SPECS.get(name)
    if spec is None:
        raise ValueError(
            f"No TypeSpec has been registered with name {name!r}: no module that defines such an "
            "extension type has been imported."
        )
    return spec
