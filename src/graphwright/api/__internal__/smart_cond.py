"""`tf.__internal__.smart_cond`: branches on a value that tracing may know."""

from graphwright.control.branch import smart_cond

__all__ = ["smart_cond"]
