"""The values of options of datasets that are one of a few: most pipelines set none of them."""

from __future__ import annotations

import enum


class AutotuneAlgorithm(enum.Enum):
    """How numbers that are left to the dataset are chosen; all are the same here.

    >>> import graphwright as tf
    >>> options = tf.data.Options()
    >>> options.autotune.autotune_algorithm = tf.data.experimental.AutotuneAlgorithm.HILL_CLIMB
    """

    DEFAULT = 0
    HILL_CLIMB = 1
    GRADIENT_DESCENT = 2
    MAX_PARALLELISM = 3
    STAGE_BASED = 4


class AutoShardPolicy(enum.IntEnum):
    """How the elements are divided among workers.

    >>> import graphwright as tf
    >>> tf.data.experimental.AutoShardPolicy.DATA
    <AutoShardPolicy.DATA: 2>
    """

    OFF = -1
    AUTO = 0
    FILE = 1
    DATA = 2
    HINT = 3


class ExternalStatePolicy(enum.Enum):
    """What saving an iterator does where a function has state that cannot be saved.

    >>> import graphwright as tf
    >>> options = tf.data.Options()
    >>> policy = tf.data.experimental.ExternalStatePolicy.IGNORE
    >>> options.experimental_external_state_policy = policy
    """

    WARN = 0
    IGNORE = 1
    FAIL = 2
