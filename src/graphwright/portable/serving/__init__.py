"""Saved models behind the REST calls of TensorFlow Serving."""
