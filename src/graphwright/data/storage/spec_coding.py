"""Type specs as plain values, which JSON holds: of elements, and of structures of them."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Mapping
from typing import Any

from graphwright.base.errors import UnimplementedError
from graphwright.ragged.spec import RaggedTensorSpec
from graphwright.types.containers import is_namedtuple
from graphwright.types.dtypes import as_dtype
from graphwright.types.shape import TensorShape
from graphwright.types.specs import NoneTensorSpec, TensorSpec
from graphwright.types.type_spec import TypeSpec
from graphwright.values.sparse.sparse_tensor import SparseTensorSpec

#: Specs that are saved by the arguments that make them, which are shapes, dtypes and numbers.
_SPECS: dict[str, type[TypeSpec]] = {
    kind.__name__: kind for kind in (NoneTensorSpec, RaggedTensorSpec, SparseTensorSpec, TensorSpec)
}


def saved_spec(spec: TypeSpec) -> list[Any]:
    """A spec as plain values; UnimplementedError for one of another kind."""
    name = type(spec).__name__
    if _SPECS.get(name) is not type(spec):
        raise UnimplementedError(None, None, f"the type {spec!r} of elements cannot be saved")
    arguments: list[Any] = []
    for part in (
        (spec.shape, spec.dtype, None) if isinstance(spec, TensorSpec) else spec._serialize()
    ):
        if isinstance(part, TensorShape):
            arguments.append(["shape", None if part.rank is None else part.as_list()])
        elif part is None or isinstance(part, int):
            arguments.append(["plain", part])
        else:
            arguments.append(["dtype", as_dtype(part).name])
    return [name, arguments]


def restored_spec(state: list[Any]) -> TypeSpec:
    """The spec that `saved_spec` described."""
    name, arguments = state
    makers: dict[str, Any] = {"shape": TensorShape, "dtype": as_dtype, "plain": lambda value: value}
    kind: Any = _SPECS[name]
    spec: TypeSpec = kind(*[makers[what](value) for what, value in arguments])
    return spec


def saved_structure(specs: object) -> list[Any]:
    """A structure of specs as plain values; UnimplementedError where a part has no such form."""
    if isinstance(specs, TypeSpec):
        return ["spec", saved_spec(specs)]
    if isinstance(specs, Mapping):
        if not all(isinstance(key, (str, int)) for key in specs):
            raise UnimplementedError(None, None, f"keys such as {list(specs)} cannot be saved")
        return ["mapping", [[key, saved_structure(part)] for key, part in specs.items()]]
    if not isinstance(specs, (tuple, list)):
        kind = type(specs).__name__
        raise UnimplementedError(None, None, f"elements that are a {kind} cannot be saved")
    parts = [saved_structure(part) for part in specs]
    if is_namedtuple(type(specs)):
        return ["fields", type(specs).__name__, list(specs._fields), parts]  # type: ignore[union-attr]
    return ["list" if isinstance(specs, list) else "tuple", parts]


def restored_structure(state: list[Any]) -> Any:
    """The structure that `saved_structure` described; ValueError and its like for other values."""
    kind, *rest = state
    if kind == "spec":
        return restored_spec(rest[0])
    if kind == "mapping":
        return {key: restored_structure(part) for key, part in rest[0]}
    parts = [restored_structure(part) for part in rest[-1]]
    if kind == "fields":
        name, fields, _ = rest
        return namedtuple(name, fields)(*parts)  # it refuses what are no names
    if kind not in ("list", "tuple"):
        raise ValueError(f"there is no structure {kind!r}")
    return parts if kind == "list" else tuple(parts)
