"""Objects of a loaded model, whose classes the process need not have seen."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from graphwright.function.concrete import ConcreteFunction
from graphwright.library.checkpoint.object_graph import Tracked
from graphwright.trace.tracer import current_tracer
from graphwright.types import dtypes as dt
from graphwright.values.convert import constant
from graphwright.values.tensor import EagerTensor, Tensor

if TYPE_CHECKING:
    from graphwright.base.files import TextPath


class RestoredObject(Tracked):
    """An object with the children that were saved, as attributes.

    A child is looked up where the class and the program have no attribute of its name. So no name
    in a model can change what an object does.
    """

    _GRAPHWRIGHT_IGNORED = Tracked._GRAPHWRIGHT_IGNORED | {"_held"}

    def __init__(self) -> None:
        self._held: dict[str, Any] = {}

    def __getattr__(self, name: str) -> Any:
        held: dict[str, Any] = self.__dict__.get("_held", {})
        if name in held:
            return held[name]
        raise AttributeError(
            f"the loaded object has no attribute {name!r}: it has {', '.join(held) or 'none'}"
        )

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self._held})

    def _trackable_children(self, save_type: str = "checkpoint", **kwargs: Any) -> dict[str, Any]:
        return {**self._held, **super()._trackable_children(save_type, **kwargs)}

    def __repr__(self) -> str:
        return f"<{type(self).__name__} with {', '.join(self._held) or 'nothing'}>"


class RestoredCallable(RestoredObject):
    """An object that is called."""

    def __call__(self, *args: object, **kwargs: object) -> Any:
        return self._held["__call__"](*args, **kwargs)


class RestoredResource(RestoredObject):
    """A table or the like, behind a handle that graphs capture."""

    def __init__(self) -> None:
        super().__init__()
        self.resource_handle: EagerTensor | None = None

    @property
    def initializer(self) -> Any:
        """The function that fills it."""
        return self._held.get("_initialize")


class Asset(Tracked):
    """A file that a model is saved with, and that its functions name by a tensor.

    Args:
        path: The path of the file, as text or a path object.

    >>> import graphwright as tf
    >>> asset = tf.saved_model.Asset("words.txt")
    >>> asset.asset_path.numpy()
    b'words.txt'
    """

    def __init__(self, path: TextPath) -> None:
        self._path = os.fspath(path)
        self.outside: Tensor = constant(self._path, dt.string)

    @property
    def asset_path(self) -> Tensor:
        """The path of the file, as a scalar of string, which functions capture."""
        tracer = current_tracer()
        return self.outside if tracer is None else tracer.as_capture(self.outside)

    def __repr__(self) -> str:
        return f"<asset {self._path}>"


class Signatures(Mapping[str, ConcreteFunction]):
    """The signatures of a model by their names.

    Each is a concrete function of arguments by name, which returns a dict of tensors.
    """

    def __init__(self, signatures: Mapping[str, Callable[[], ConcreteFunction]]) -> None:
        self._signatures = dict(signatures)

    def __getitem__(self, name: str) -> ConcreteFunction:
        if name not in self._signatures:
            raise KeyError(f"{name!r}: the model has {', '.join(self) or 'no signatures'}")
        return self._signatures[name]()

    def __iter__(self) -> Iterator[str]:
        return iter(self._signatures)

    def __len__(self) -> int:
        return len(self._signatures)

    def __repr__(self) -> str:
        return f"<signatures {', '.join(self) or 'none'}>"
