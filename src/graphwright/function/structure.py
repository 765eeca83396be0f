"""The results of a traced function: checked, turned into values, packed again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, TypeAlias

from graphwright.compile.run.generated_text import make_function
from graphwright.control.body import as_result
from graphwright.ir.graph import Value
from graphwright.op.interpreter import apply
from graphwright.ops.core.identity import IDENTITY
from graphwright.trace.argument_types import LiteralType, from_value
from graphwright.trace.tracer import Tracer
from graphwright.types import tree
from graphwright.types.arguments import PythonFunction
from graphwright.types.composite import Composite
from graphwright.types.specs import TensorSpec
from graphwright.types.trace_type import TraceType
from graphwright.values.tensor import Tensor, wrap

#: The result of a call, from the tensors that its graph returns.
Pack: TypeAlias = Callable[[Sequence[Tensor]], Any]


class Outputs:
    """What a trace returned: the graph's results and the structure that they fill."""

    def __init__(self, structure: object, function: PythonFunction) -> None:
        leaves = tree.flatten(structure, expand_composites=True)
        self.tensors = [as_result(leaf, function) for leaf in leaves]
        self.structure = tree.pack_sequence_as(structure, self.tensors, expand_composites=True)
        self.pack = packer(self.structure, self.tensors)
        #: The result of a call, from the arrays that the trace's code returns.
        self.wrapped = wrap_first if self.pack is first else partial(wrap_all, self.pack)

    def results(self, tracer: Tracer) -> list[Value]:
        """The values that the graph returns: an Identity of each tensor."""
        returned = [t for t in self.tensors if t is not None]
        return [tracer.value_of(apply(IDENTITY, t)) for t in returned]


def packer(structure: object, leaves: Sequence[Tensor | None]) -> Pack:
    """The function from a call's result tensors to the returned structure."""
    if len(leaves) == 1 and structure is leaves[0]:
        if leaves[0] is None:
            return lambda tensors: None
        return first
    if isinstance(structure, Composite) and None not in leaves:
        spec = structure.__graphwright_spec__
        parts = spec._component_specs
        if type(parts) is TensorSpec:
            return lambda tensors: spec._from_components(tensors[0])
        if isinstance(parts, (list, tuple)) and all(type(part) is TensorSpec for part in parts):
            from_components: Pack = spec._from_components
            return from_components
    if is_flat(structure, leaves):
        return tuple
    written = PackWriter()
    if written.writes(structure):
        return written.function()

    def pack(tensors: Sequence[Tensor]) -> Any:
        remaining = iter(tensors)
        filled = [None if leaf is None else next(remaining) for leaf in leaves]
        return tree.pack_sequence_as(structure, filled, expand_composites=True)

    return pack


def is_flat(structure: object, leaves: Sequence[Tensor | None]) -> bool:
    """Whether a structure is the tuple of its leaves, which are all tensors."""
    if type(structure) is not tuple or len(structure) != len(leaves):
        return False
    return all(a is b is not None for a, b in zip(structure, leaves))


class PackWriter:
    """Writes the text of a function that packs tensors into dicts, lists and tuples.

    Structures that differ in keys alone share one text: these are bound to names.
    """

    def __init__(self) -> None:
        self.bindings: dict[str, Any] = {}
        self.count = 0  # of tensors
        self.text = ""

    def writes(self, structure: object) -> bool:
        """Whether the text of a structure was written: it has nothing but such containers."""
        try:
            self.text = self.part(structure)
        except (NotImplementedError, RecursionError):
            return False
        return True

    def function(self) -> Pack:
        """The function of the text."""
        names = "".join(f"t{i}, " for i in range(self.count))
        unpacked = f"    {names}= tensors\n" if names else ""
        return make_function(
            f"def pack(tensors):\n{unpacked}    return {self.text}\n", self.bindings
        )

    def part(self, structure: object) -> str:
        """The text of a part of the structure."""
        kind = type(structure)
        if structure is None:
            return "None"
        if isinstance(structure, Tensor):
            self.count += 1
            return f"t{self.count - 1}"
        if isinstance(structure, dict) and kind is dict:
            texts = {key: self.part(structure[key]) for key in sorted(structure)}
            pairs = [f"{self.bind(key)}: {texts[key]}" for key in structure]
            return f"{{{', '.join(pairs)}}}"
        if isinstance(structure, (list, tuple)) and kind in (list, tuple):
            parts = "".join(f"{self.part(part)}, " for part in structure)
            return f"[{parts}]" if kind is list else f"({parts})"
        raise NotImplementedError

    def bind(self, key: object) -> str:
        """A name that the text has for a key."""
        name = f"k{len(self.bindings)}"
        self.bindings[name] = key
        return name


def first(tensors: Sequence[Tensor]) -> Any:
    """The result of a call that returns one tensor."""
    return tensors[0]


def wrap_first(arrays: Sequence[object]) -> Any:
    """The same, from its array."""
    return wrap(arrays[0])


def wrap_all(pack: Pack, arrays: Sequence[object]) -> Any:
    """The result of a call, from the arrays of all its tensors."""
    return pack([wrap(array) for array in arrays])


def type_of_structure(structure: object) -> TraceType:
    """The trace type of a returned structure, as a function type prints it."""
    return from_value(structure) if structure is not None else LiteralType(None)
