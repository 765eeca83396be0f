"""`tf.compat.v1.io`: reading record files without a data set."""

from graphwright.library.io.record_file import tf_record_iterator

__all__ = ["tf_record_iterator"]
