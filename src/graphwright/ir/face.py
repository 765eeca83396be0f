"""The side of a graph that programs see: operations and tensors by name, messages, pictures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Protocol, TypeVar

G_contra = TypeVar("G_contra", contravariant=True)  # graphs
V_contra = TypeVar("V_contra", contravariant=True)  # values of graphs


class GraphMethods(Protocol[G_contra, V_contra]):
    """The bodies of the methods of `Face`, which `ir.operation` has: it stands on graphs."""

    def tensors(self, graph: G_contra, values: Sequence[V_contra]) -> list[Any]:
        """The tensors of values."""

    def control_outputs(self, graph: G_contra) -> list[Any]:
        """The operations that run for their effects."""

    def operations(self, graph: G_contra) -> list[Any]:
        """All operations in the order in which they were traced."""

    def operation_by_name(self, graph: G_contra, name: str) -> Any:
        """The operation of a name."""

    def tensor_by_name(self, graph: G_contra, name: str) -> Any:
        """The tensor of a name."""

    def element(
        self, graph: G_contra, obj: object, allow_tensor: bool, allow_operation: bool
    ) -> Any:
        """The operation or tensor that an object is or names."""

    def message(self, graph: G_contra, add_shapes: bool) -> Any:
        """The graph as a message."""

    def view(self, graph: G_contra) -> Any:
        """A view of the graph."""

    def dot(self, graph: G_contra) -> str:
        """The graph in the language of Graphviz."""


class Face:
    """The methods of `tf.Graph` for programs; passes need none of them."""

    results: list[Any]

    #: Installed by `graphwright.hooks`.
    _bodies: ClassVar[GraphMethods[Any, Any]]

    @property
    def arguments(self) -> list[Any]:
        """The values of placeholders."""
        raise NotImplementedError

    @property
    def inputs(self) -> list[Any]:
        """The placeholders' tensors: parameters, then captures."""
        return self._bodies.tensors(self, self.arguments)

    @property
    def outputs(self) -> list[Any]:
        """The tensors of the results."""
        return self._bodies.tensors(self, self.results)

    @property
    def control_outputs(self) -> list[Any]:
        """The operations that run for their effects, even if no result needs them."""
        return self._bodies.control_outputs(self)

    def as_graph_def(self, from_version: int | None = None, add_shapes: bool = False) -> Any:
        """The graph as a message, which TensorFlow reads too.

        `from_version` has no meaning: graphs have no versions.
        """
        return self._bodies.message(self, add_shapes)

    def get_operations(self) -> list[Any]:
        """All operations in the order in which they were traced.

        Where results wait for effects, the last one is the NoOp that they wait for.
        """
        return self._bodies.operations(self)

    def get_operation_by_name(self, name: str) -> Any:
        """The operation of this name; KeyError if there is none."""
        return self._bodies.operation_by_name(self, name)

    def get_tensor_by_name(self, name: str) -> Any:
        """The tensor of a name such as 'add:0'; KeyError if there is none."""
        return self._bodies.tensor_by_name(self, name)

    def as_graph_element(
        self, obj: object, allow_tensor: bool = True, allow_operation: bool = True
    ) -> Any:
        """The operation or tensor that `obj` is or names; TypeError for anything else."""
        return self._bodies.element(self, obj, allow_tensor, allow_operation)

    def view(self) -> Any:
        """A view of the graph: text with source lines, in a notebook a drawing that folds."""
        return self._bodies.view(self)

    def to_dot(self) -> str:
        """The graph in the language of Graphviz, with the graphs in it as clusters."""
        return self._bodies.dot(self)
