"""The bodies of ragged tensors' methods, gathered from the modules that stand on the class."""

from __future__ import annotations

from graphwright.ragged import ragged_conversion, ragged_indexing, ragged_strings
from graphwright.ragged.spec import RaggedTensorSpec


class RaggedBodies:
    """See `ragged.methods.RaggedMethods`."""

    from_tensor = staticmethod(ragged_conversion.from_tensor)
    from_sparse = staticmethod(ragged_conversion.from_sparse)
    to_tensor = staticmethod(ragged_conversion.to_tensor)
    to_sparse = staticmethod(ragged_conversion.to_sparse)
    bounding_shape = staticmethod(ragged_conversion.bounding_shape)
    merge_dims = staticmethod(ragged_conversion.merge_dims)
    get_item = staticmethod(ragged_indexing.get_item)
    text_of = staticmethod(ragged_strings.text_of)
    spec_of = staticmethod(RaggedTensorSpec.from_value)
