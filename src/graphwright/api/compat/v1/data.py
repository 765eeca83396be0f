"""`tf.compat.v1.data`: what TensorFlow 1 asked of datasets."""

from graphwright.data.experimental.element_classes import (
    get_output_classes,
    get_output_shapes,
    get_output_types,
    make_initializable_iterator,
    make_one_shot_iterator,
)

__all__ = [
    "get_output_classes",
    "get_output_shapes",
    "get_output_types",
    "make_initializable_iterator",
    "make_one_shot_iterator",
]
