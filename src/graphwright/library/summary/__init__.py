"""Summaries for TensorBoard, and profiles."""
