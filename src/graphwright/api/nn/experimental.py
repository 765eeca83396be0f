"""`tf.nn.experimental`: dropout with other sources of randomness."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphwright.api import late

if TYPE_CHECKING:
    from graphwright.ops.nn.dropout import general_dropout, stateless_dropout

__all__ = ("general_dropout", "stateless_dropout")

__getattr__ = late(__name__, {"graphwright.ops.nn.dropout": __all__})
