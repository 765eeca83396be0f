"""The fields of messages as plain data, to compare two packages' messages."""

from __future__ import annotations

from typing import Any

from google.protobuf.descriptor import Descriptor, EnumDescriptor


def describe(roots: list[Descriptor]) -> dict[str, Any]:
    """Messages and enums reachable from the roots, by name without their package.

    A field is its name, number, type, whether it is repeated or tracks presence, and its oneof.
    """
    result: dict[str, Any] = {}
    pending: list[Any] = list(roots)
    while pending:
        item = pending.pop()
        name = _local_name(item)
        if name in result or item.file.package == "google.protobuf":
            continue
        if isinstance(item, EnumDescriptor):
            values = {value.name: value.number for value in item.values}
            result[name] = {key: n for key, n in values.items() if not key.endswith("_REF")}
            continue
        result[name] = [_field(field) for field in sorted(item.fields, key=lambda f: f.number)]
        pending += [f.message_type or f.enum_type for f in item.fields]
        pending = [each for each in pending if each is not None]
    return result


def _field(field: Any) -> list[Any]:
    kind = field.message_type or field.enum_type
    oneof = field.containing_oneof
    if oneof is not None and oneof.name.startswith("_"):  # how an optional field is compiled
        oneof = None
    return [
        field.name,
        field.number,
        field.type if kind is None else _local_name(kind),
        is_repeated(field),
        oneof.name if oneof is not None else None,
    ]


def is_repeated(field: Any) -> bool:
    """Whether a field has many values, as every version of protobuf says it."""
    repeated: bool
    if hasattr(field, "is_repeated"):
        repeated = field.is_repeated
    else:
        repeated = field.label == field.LABEL_REPEATED
    return repeated


def _local_name(item: Any) -> str:
    name: str = item.full_name
    return name.removeprefix(item.file.package + ".")
