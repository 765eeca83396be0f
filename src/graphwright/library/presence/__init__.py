"""This package in the place of TensorFlow: programs that import `tensorflow` run on it."""
