"""The package's logger, with TensorFlow's format and the name by which programs find it."""

from __future__ import annotations

import logging
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    _Handler = logging.StreamHandler[Any]
else:
    _Handler = logging.StreamHandler  # takes no parameters before Python 3.11


class _Stderr(_Handler):
    """Writes to the present `sys.stderr`, which a program may have redirected."""

    def __init__(self) -> None:
        logging.Handler.__init__(self)
        self.setFormatter(logging.Formatter("%(levelname)s:%(name)s:%(message)s"))

    def filter(self, record: logging.LogRecord) -> Any:
        """Whether to write a record: an empty explanation says that it was given before."""
        return getattr(record, "explanation", None) != "" and super().filter(record)

    def format(self, record: logging.LogRecord) -> str:
        """The record's explanation as a line, or its message where it has none."""
        explanation = getattr(record, "explanation", None)
        if explanation is None:
            return super().format(record)
        return f"{record.levelname}:{record.name}:{explanation}"

    @property
    def stream(self) -> Any:
        """The stream to write to."""
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
