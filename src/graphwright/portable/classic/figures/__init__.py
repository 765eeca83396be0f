"""Figures of training: metrics over batches, and messages for TensorBoard."""
