"""`tf.quantization`: floats as if they were stored in few bits."""

from graphwright.ops.quantization import (
    fake_quant_with_min_max_args,
    fake_quant_with_min_max_vars,
    fake_quant_with_min_max_vars_per_channel,
    quantize_and_dequantize,
    quantize_and_dequantize_v2,
)

__all__ = (
    "fake_quant_with_min_max_args",
    "fake_quant_with_min_max_vars",
    "fake_quant_with_min_max_vars_per_channel",
    "quantize_and_dequantize",
    "quantize_and_dequantize_v2",
)
