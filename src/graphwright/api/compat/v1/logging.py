"""`tf.compat.v1.logging`: lines of the logger of the package."""

from logging import CRITICAL as FATAL
from logging import DEBUG, ERROR, INFO
from logging import WARNING as WARN

from graphwright.base.logs import LOGGER

debug, info, warning, error, fatal = (
    LOGGER.debug, LOGGER.info, LOGGER.warning, LOGGER.error, LOGGER.critical,
)  # fmt: skip
warn = warning
get_verbosity, set_verbosity = LOGGER.getEffectiveLevel, LOGGER.setLevel

__all__ = [
    "DEBUG",
    "ERROR",
    "FATAL",
    "INFO",
    "WARN",
    "debug",
    "error",
    "fatal",
    "get_verbosity",
    "info",
    "set_verbosity",
    "warn",
    "warning",
]
