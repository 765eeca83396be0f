"""`tf.onnx`: models in ONNX, written from functions and read as modules."""

from graphwright.portable.onnx.onnx_models import export, load

__all__ = ["export", "load"]
