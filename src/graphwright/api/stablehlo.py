"""`tf.stablehlo`: functions as text of StableHLO."""

from graphwright.portable.stablehlo.stablehlo_text import export

__all__ = ["export"]
