"""The package's logger: TensorFlow's name, so that programs find it, and its format."""

from __future__ import annotations

import logging
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    _Handler = logging.StreamHandler[Any]
else:
    _Handler = logging.StreamHandler  # takes no parameters before Python 3.11


class _Stderr(_Handler):
    """Writes to whatever `sys.stderr` is now, so that a redirected stream is respected."""

    def __init__(self) -> None:
        logging.Handler.__init__(self)
        self.setFormatter(logging.Formatter("%(levelname)s:%(name)s:%(message)s"))

    def filter(self, record: logging.LogRecord) -> Any:
        """Leaves out what was explained before."""
        return getattr(record, "explanation", None) != "" and super().filter(record)

    def format(self, record: logging.LogRecord) -> str:
        """The record's line; where it brings an explanation of ours, that."""
        told = getattr(record, "explanation", None)
        if told is None:
            return super().format(record)
        return f"{record.levelname}:{record.name}:{told}"

    @property
    def stream(self) -> Any:
        """The stream written to."""
        return sys.stderr


def get_logger() -> logging.Logger:
    """Returns the logger of the package's messages, whose name is "tensorflow".

    Its level is WARNING, unless the program has set another.

    Returns:
        A `logging.Logger`.

    >>> import graphwright as tf
    >>> tf.get_logger().setLevel("ERROR")
    >>> tf.get_logger().setLevel("WARNING")
    """
    logger = logging.getLogger("tensorflow")
    if not logger.handlers:
        logger.addHandler(_Stderr())
        logger.propagate = False
    if logger.level == logging.NOTSET:
        logger.setLevel(logging.WARNING)
    return logger


LOGGER = get_logger()
