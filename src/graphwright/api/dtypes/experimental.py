"""`tf.dtypes.experimental`: floats of 8 bits."""

from __future__ import annotations

from graphwright.types.dtypes import float8_e4m3fn, float8_e5m2

__all__ = ["float8_e4m3fn", "float8_e5m2"]
