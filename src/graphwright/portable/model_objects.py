"""The objects that a model is saved with: those that the root reaches, each with a number."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

from graphwright.function.concrete import ConcreteFunction
from graphwright.function.polymorphic import PolymorphicFunction
from graphwright.library.checkpoint.bundle_checkpoint import escaped, mark_values
from graphwright.library.checkpoint.checkpoint_files import ENDING
from graphwright.library.checkpoint.object_graph import children, is_followed
from graphwright.library.lookup.lookup import LookupTable
from graphwright.portable.restored_objects import Asset, RestoredObject, RestoredResource
from graphwright.proto.checkpoint_pb2 import TrackableObjectGraph
from graphwright.values.trackable import Trackable
from graphwright.values.variable import Variable

#: What is callable in a model.
Function: TypeAlias = PolymorphicFunction | ConcreteFunction
#: What has no members of its own, or functions that are written for it.
_LEAVES = (Variable, LookupTable, RestoredResource, Asset, PolymorphicFunction, ConcreteFunction)
#: The child of the root that holds the signatures.
SIGNATURES = "signatures"


class SignatureMap(dict[str, ConcreteFunction]):
    """The signatures of a model that is saved, by their names."""


def members(holder: Any) -> dict[str, Any]:
    """What an object holds, by name: what checkpoints follow, and functions."""
    if isinstance(holder, _LEAVES):
        return {}
    if isinstance(holder, Trackable):
        held = dict(children(holder, "savedmodel")) if is_followed(holder) else {}
        return {**held, **dict(functions_of(holder))}
    if isinstance(holder, Mapping):
        items = {str(key): value for key, value in holder.items()}
    else:
        items = {str(place): value for place, value in enumerate(holder)}
    return {k: v for k, v in items.items() if is_followed(v) or isinstance(v, Function)}


def functions_of(holder: Trackable) -> Iterator[tuple[str, Function]]:
    """The functions that an object has as attributes or methods, by name."""
    kind = type(holder)
    for name in dir(kind):
        if isinstance(inspect.getattr_static(kind, name), PolymorphicFunction):
            yield name, getattr(holder, name)
    restored = holder._held if isinstance(holder, RestoredObject) else {}
    for name, value in {**restored, **vars(holder)}.items():
        if isinstance(value, Function):
            yield name, value


def saved_form(value: Any) -> Any:
    """The variable behind an object of a library that acts as one; any other object itself."""
    if hasattr(value, "_should_act_as_resource_variable") and isinstance(value.value, Variable):
        return value.value
    return value


def identity_of(value: Any) -> int:
    """What tells objects apart: a function of an instance has several faces."""
    return id(value._table) if isinstance(value, PolymorphicFunction) else id(value)


class ModelObjects:
    """The objects that a root reaches: breadth first, so that each has a shortest path."""

    def __init__(self, root: Trackable, signatures: SignatureMap) -> None:
        self.all: list[Any] = [root]
        self.children: list[list[tuple[str, int]]] = []
        self.paths = [""]
        self._numbers = {identity_of(root): 0}
        for number, holder in enumerate(self.all):
            held = members(holder)
            if number == 0:
                held = {**held, SIGNATURES: signatures}
            self.children.append([])
            for name in held:
                self.add_child(number, name, held[name])

    def add_child(self, number: int, name: str, child: Any) -> None:
        """Makes an object a child of another one."""
        child = saved_form(child)
        key = identity_of(child)
        if key not in self._numbers:
            path = self.paths[number]
            self._numbers[key] = len(self.all)
            self.all.append(child)
            self.paths.append(f"{path}/{escaped(name)}" if path else escaped(name))
        self.children[number].append((name, self._numbers[key]))

    def number_of(self, value: Any) -> int | None:
        """The number of an object, or None."""
        return self._numbers.get(identity_of(value))

    def add(self, value: Any) -> int:
        """The number of an object that nothing holds."""
        self._numbers[identity_of(value)] = number = len(self.all)
        self.all.append(value)
        self.paths.append("")
        self.children.append([])
        return number

    def of_kind(self, kind: type | tuple[type, ...]) -> Iterator[tuple[int, Any]]:
        """The objects of a kind with their numbers."""
        for number, value in enumerate(self.all):
            if isinstance(value, kind):
                yield number, value

    def value_key(self, number: int) -> str:
        """The key of a variable's value in the bundle."""
        path = self.paths[number]
        return f"{path}/{ENDING}" if path else ENDING

    def checkpoint_graph(self) -> TrackableObjectGraph:
        """The graph of objects as a checkpoint has it, with the keys of values."""
        graph = TrackableObjectGraph()
        for held in self.children:
            node = graph.nodes.add()
            for name, child in held:
                node.children.add(node_id=child, local_name=name)
        for number, variable in self.of_kind(Variable):
            graph.nodes[number].attributes.add(
                name="VARIABLE_VALUE",
                full_name=variable.name.partition(":")[0],
                checkpoint_key=self.value_key(number),
            )
        mark_values(graph)
        return graph
