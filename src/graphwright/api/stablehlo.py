"""`tf.stablehlo`: functions as text of StableHLO."""

from graphwright.portable.stablehlo.hlo_export import export

__all__ = ["export"]
