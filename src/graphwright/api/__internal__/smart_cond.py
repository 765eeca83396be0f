"""`tf.__internal__.smart_cond`: branches on what may be known while a function is traced."""

from graphwright.control.branch import smart_cond

__all__ = ["smart_cond"]
