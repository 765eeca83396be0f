"""`tf.data.experimental`: functions for `Dataset.apply`, and others beside datasets."""

from graphwright.data.experimental.stored_datasets import load, save, snapshot

__all__ = ["load", "save", "snapshot"]
