"""`tf.__internal__.distribute`: strategies for optimizers of libraries."""

from graphwright.api.__internal__.distribute import interim
from graphwright.library.distribute.strategy import strategy_supports_no_merge_call

__all__ = ["interim", "strategy_supports_no_merge_call"]
