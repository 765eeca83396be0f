"""`tf.nn.experimental`: dropout with other sources of randomness."""

from graphwright.ops.nn.dropout import general_dropout, stateless_dropout

__all__ = ("general_dropout", "stateless_dropout")
