"""`tf.__internal__.distribute.interim`: calls across replicas where a strategy needs them."""

from graphwright.library.distribute.strategy import maybe_merge_call

__all__ = ["maybe_merge_call"]
