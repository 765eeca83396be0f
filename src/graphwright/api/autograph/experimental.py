"""`tf.autograph.experimental`: functions to leave unconverted, and the options of loops."""

from graphwright.autograph.conversion import do_not_convert
from graphwright.autograph.settings import Feature, set_loop_options

__all__ = ["Feature", "do_not_convert", "set_loop_options"]
