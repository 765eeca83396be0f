"""Settings: `tf.config`. Functions can be run as plain Python; devices are in `devices`."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from graphwright.compile.run.options import OPTIONS
from graphwright.function.polymorphic import Eagerly
from graphwright.machine import threads
from graphwright.machine.preparation import Waiting


def run_functions_eagerly(run_eagerly: bool) -> None:
    """Makes every `tf.function` run as plain Python, anew in each call: for debugging.

    Args:
        run_eagerly: True for plain Python, False for graphs (the default).

    >>> import graphwright as tf
    >>> tf.config.run_functions_eagerly(True)
    >>> tf.config.functions_run_eagerly()
    True
    >>> tf.config.run_functions_eagerly(False)
    """
    Eagerly.on = bool(run_eagerly)


def functions_run_eagerly() -> bool:
    """Says whether functions run as plain Python, as `tf.config.run_functions_eagerly` sets it.

    Returns:
        A bool; False by default.

    >>> import graphwright as tf
    >>> tf.config.functions_run_eagerly()
    False
    """
    return Eagerly.on


def get_synchronous_execution() -> bool:
    """Says whether an op is complete when its call returns: always.

    Returns:
        True.

    >>> import graphwright as tf
    >>> tf.config.experimental.get_synchronous_execution()
    True
    """
    return True


def set_synchronous_execution(enable: bool) -> None:
    """Does nothing: an op is always complete when its call returns.

    Args:
        enable: Ignored.

    >>> import graphwright as tf
    >>> tf.config.experimental.set_synchronous_execution(False)
    >>> tf.config.experimental.get_synchronous_execution()
    True
    """


def enable_op_determinism() -> None:
    """Makes each run of a program give the same results, to the last bit.

    Compiled code does so anyway. NumPy, which rounds differently, computes only until that code is
    ready, which may be sooner or later. From now on calls wait for the compiler instead.

    >>> import graphwright as tf
    >>> from unittest import mock
    >>> from graphwright.machine.preparation import Waiting
    >>> with mock.patch.object(Waiting, "always"):  # for this example only
    ...     tf.config.experimental.enable_op_determinism()
    ...     print(tf.exp([0.0, 1.0]).numpy())
    [1.       2.718282]
    """
    Waiting.always = True


def set_log_device_placement(enabled: bool) -> None:
    """Does nothing: there is one device, and no placement to log.

    Args:
        enabled: Ignored.

    >>> import graphwright as tf
    >>> tf.debugging.set_log_device_placement(True)
    >>> tf.debugging.get_log_device_placement()
    False
    """


def get_log_device_placement() -> bool:
    """Says whether the placement of ops is logged: never.

    Returns:
        False.

    >>> import graphwright as tf
    >>> tf.debugging.get_log_device_placement()
    False
    """
    return False


class Jit:
    """The last argument of `tf.config.optimizer.set_jit`."""

    mode = ""


def set_jit(enabled: bool | str) -> None:
    """Records a wish for just-in-time compilation, which has no effect.

    Functions that run again and again become machine code anyway, unless they are made with
    `jit_compile=False`.

    Args:
        enabled: A bool, or "autoclustering", which means the same as True.

    >>> import graphwright as tf
    >>> tf.config.optimizer.set_jit("autoclustering")
    >>> tf.config.optimizer.get_jit()
    'autoclustering'
    >>> tf.config.optimizer.set_jit(False)
    """
    Jit.mode = ("autoclustering" if enabled else "") if isinstance(enabled, bool) else enabled


def get_jit() -> str:
    """Returns the last argument of `tf.config.optimizer.set_jit`.

    Returns:
        "autoclustering" or "".

    >>> import graphwright as tf
    >>> tf.config.optimizer.get_jit()
    ''
    """
    return Jit.mode


def get_build_info() -> dict[str, Any]:
    """Returns which kinds of GPU the package was built for: none.

    Returns:
        A dict of bools.

    >>> import graphwright as tf
    >>> tf.sysconfig.get_build_info()["is_cuda_build"]
    False
    """
    return {"is_cuda_build": False, "is_rocm_build": False, "is_tensorrt_build": False}


class Threading:
    """How many threads may run different ops; 0 lets the package choose."""

    inter_op = 0


def set_intra_op_parallelism_threads(num_threads: int) -> None:
    """Limits the threads within one op, those of BLAS included.

    Args:
        num_threads: The limit as an int; 0 means none.

    Raises:
        ValueError: `num_threads` is negative, or more than 1024 for each core.

    >>> import graphwright as tf
    >>> tf.config.threading.set_intra_op_parallelism_threads(1)
    >>> tf.config.threading.get_intra_op_parallelism_threads()
    1
    >>> tf.config.threading.set_intra_op_parallelism_threads(0)
    """
    threads.bound(checked_threads(num_threads))


def get_intra_op_parallelism_threads() -> int:
    """Returns the limit of the threads within one op.

    Returns:
        An int; 0 where no limit is set.

    >>> import graphwright as tf
    >>> tf.config.threading.get_intra_op_parallelism_threads()
    0
    """
    return threads.Limit.threads


def set_inter_op_parallelism_threads(num_threads: int) -> None:
    """Records a limit of the threads that run different ops.

    Args:
        num_threads: The limit as an int; 0 means none.

    Raises:
        ValueError: `num_threads` is negative, or more than 1024 for each core.

    >>> import graphwright as tf
    >>> tf.config.threading.set_inter_op_parallelism_threads(2)
    >>> tf.config.threading.get_inter_op_parallelism_threads()
    2
    >>> tf.config.threading.set_inter_op_parallelism_threads(0)
    """
    Threading.inter_op = checked_threads(num_threads)


def get_inter_op_parallelism_threads() -> int:
    """Returns the limit of the threads that run different ops.

    Returns:
        An int; 0 where no limit is set.

    >>> import graphwright as tf
    >>> tf.config.threading.get_inter_op_parallelism_threads()
    0
    """
    return Threading.inter_op


def checked_threads(number: int) -> int:
    """A number of threads; ValueError below zero or far above the cores."""
    if number < 0 or number > 1024 * (os.cpu_count() or 1):
        raise ValueError(f"num_threads must be between 0 and a sane number of cores, got {number}")
    return int(number)


def set_experimental_options(options: Mapping[str, object]) -> None:
    """Switches passes over graphs on or off.

    Args:
        options: A dict from names such as "constant_folding" or "remapping" to bools. Other options
            stay as they are.

    Raises:
        ValueError: A name is no option.

    >>> import graphwright as tf
    >>> tf.config.optimizer.set_experimental_options({"constant_folding": True})
    >>> tf.config.optimizer.get_experimental_options()["constant_folding"]
    True
    """
    unknown = set(options) - OPTIMIZER_NAMES
    if unknown:
        raise ValueError(f"Unknown optimizer options: {', '.join(sorted(unknown))}")
    OPTIONS.update(options)


def get_experimental_options() -> dict[str, Any]:
    """Returns the options of passes over graphs that were set.

    Returns:
        A dict from names to values.

    >>> import graphwright as tf
    >>> options = tf.config.optimizer.get_experimental_options()
    >>> options.get("constant_folding", True)
    True
    """
    return dict(OPTIONS)


OPTIMIZER_NAMES = frozenset(
    {
        "layout_optimizer",
        "constant_folding",
        "shape_optimization",
        "remapping",
        "arithmetic_optimization",
        "dependency_optimization",
        "loop_optimization",
        "function_optimization",
        "debug_stripper",
        "disable_model_pruning",
        "scoped_allocator_optimization",
        "pin_to_host_optimization",
        "implementation_selector",
        "auto_mixed_precision",
        "disable_meta_optimizer",
        "min_graph_nodes",
        "auto_parallel",
    }
)
