"""The bodies of ragged tensors' methods, gathered from the modules that stand on the class."""

from __future__ import annotations

from graphwright.ragged import conversion, indexing, strings
from graphwright.ragged.spec import RaggedTensorSpec


class RaggedBodies:
    """See `ragged.methods.Bodies`."""

    from_tensor = staticmethod(conversion.from_tensor)
    from_sparse = staticmethod(conversion.from_sparse)
    to_tensor = staticmethod(conversion.to_tensor)
    to_sparse = staticmethod(conversion.to_sparse)
    bounding_shape = staticmethod(conversion.bounding_shape)
    merge_dims = staticmethod(conversion.merge_dims)
    get_item = staticmethod(indexing.get_item)
    text_of = staticmethod(strings.text_of)
    spec_of = staticmethod(RaggedTensorSpec.from_value)
