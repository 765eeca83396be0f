"""The top-level name of the function by which programs import `tensorflow` and get this package."""

from graphwright.library.presence.tensorflow_finder import install_as_tensorflow

TOP_LEVEL = ("install_as_tensorflow",)
