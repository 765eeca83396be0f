"""What methods of ragged tensors ask for and modules above the class compute."""

from __future__ import annotations

from typing import Any, Protocol

from graphwright.types.dtypes import DType


class RaggedMethods(Protocol):
    """The bodies of methods that need ragged tensors themselves."""

    def from_tensor(
        self, tensor: Any, lengths: Any, padding: Any, ragged_rank: int, dtype: DType
    ) -> Any:
        """The rows of a tensor."""

    def from_sparse(self, sparse: Any, dtype: DType) -> Any:
        """The rows of a sparse matrix."""

    def to_tensor(self, ragged: Any, default: Any, shape: Any) -> Any:
        """The tensor that all rows fit in."""

    def to_sparse(self, ragged: Any) -> Any:
        """The sparse tensor of the same elements."""

    def bounding_shape(self, ragged: Any) -> Any:
        """The shape of the smallest tensor that all rows fit in."""

    def merge_dims(self, ragged: Any, outer: int, inner: int) -> Any:
        """The tensor with a range of axes made one."""

    def get_item(self, ragged: Any, key: Any) -> Any:
        """What an index or a tuple of indices picks."""

    def text_of(self, ragged: Any, summarize: int) -> Any:
        """A string tensor of what `tf.print` prints."""

    def spec_of(self, ragged: Any) -> Any:
        """The type spec."""
