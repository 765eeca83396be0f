"""The methods of ragged tensors whose bodies stand in modules above the class."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Protocol, SupportsInt, TypeAlias, TypeVar

from graphwright.types.arguments import TensorLike
from graphwright.types.dtypes import DType

#: Sizes of axes, of which some may be unknown.
Sizes: TypeAlias = Iterable[SupportsInt | None]
#: The class of ragged tensors, which is defined above this module.
RaggedT = TypeVar("RaggedT", contravariant=True)


class MethodBodies:
    """Gives the bodies of the methods; `hooks` provides it."""

    given: Callable[[], RaggedMethods[Any]]


class RaggedMethods(Protocol[RaggedT]):
    """The bodies of methods that need ragged tensors themselves."""

    def from_tensor(
        self,
        tensor: TensorLike,
        lengths: TensorLike | None,
        padding: TensorLike | None,
        ragged_rank: int,
        dtype: DType,
    ) -> Any:
        """The rows of a tensor."""

    def from_sparse(self, sparse: object, dtype: DType) -> Any:
        """The rows of a sparse matrix."""

    def to_tensor(self, ragged: RaggedT, default: TensorLike | None, shape: Sizes | None) -> Any:
        """The tensor that all rows fit in."""

    def to_sparse(self, ragged: RaggedT) -> Any:
        """The sparse tensor of the same elements."""

    def bounding_shape(self, ragged: RaggedT) -> Any:
        """The shape of the smallest tensor that all rows fit in."""

    def merge_dims(self, ragged: RaggedT, outer: int, inner: int) -> Any:
        """The tensor with a range of axes made one."""

    def get_item(self, ragged: RaggedT, key: object) -> Any:
        """What an index or a tuple of indices picks."""

    def text_of(self, ragged: RaggedT, summarize: int) -> Any:
        """A string tensor of what `tf.print` prints."""

    def spec_of(self, ragged: RaggedT) -> Any:
        """The type spec."""
