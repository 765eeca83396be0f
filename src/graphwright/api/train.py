"""`tf.train`: checkpoints."""

from graphwright.edge.checkpoint import Checkpoint
from graphwright.edge.checkpoint_manager import CheckpointManager
from graphwright.edge.checkpoint_state import latest_checkpoint

__all__ = ["Checkpoint", "CheckpointManager", "latest_checkpoint"]
