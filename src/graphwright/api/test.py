"""`tf.test`: test cases that compare tensors, checks of derivatives, the devices at hand."""

from graphwright.api import late
from graphwright.library.testing.gradient_check import compute_gradient

#: Imported at the first use: the modules below them are for tests alone.
LATE = (
    "TestCase",
    "assert_equal_graph_def",
    "disable_with_predicate",
    "gpu_device_name",
    "is_built_with_cuda",
    "is_built_with_gpu_support",
    "is_built_with_rocm",
    "is_built_with_xla",
    "is_gpu_available",
    "main",
)

__all__ = ["compute_gradient", *LATE]

__getattr__ = late(__name__, {"graphwright.library.testing.testing": LATE})
