"""`tf.compat.v1.io`: reading record files without a data set."""

from typing import Any

from graphwright.api import late_or_same
from graphwright.library.io.record_file import tf_record_iterator

__all__ = ["tf_record_iterator"]

__getattr__: Any = late_or_same(__name__, {})
