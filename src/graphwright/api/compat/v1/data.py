"""`tf.compat.v1.data`: what TensorFlow 1 asked of datasets."""

from typing import Any

from graphwright.api import late_or_same
from graphwright.data.experimental.element_classes import (
    get_output_classes,
    get_output_shapes,
    get_output_types,
)
from graphwright.data.experimental.session_iterator import SessionIterator as Iterator
from graphwright.data.experimental.session_iterator import (
    make_initializable_iterator,
    make_one_shot_iterator,
)

__all__ = [
    "Iterator",
    "get_output_classes",
    "get_output_shapes",
    "get_output_types",
    "make_initializable_iterator",
    "make_one_shot_iterator",
]

__getattr__: Any = late_or_same(__name__, {})
