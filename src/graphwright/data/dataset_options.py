"""`tf.data.Options`: how the elements of a dataset are computed."""

from __future__ import annotations

from typing import Any, ClassVar

from graphwright.op.late_imports import late_module


class OptionGroup:
    """Options that have names and classes, and are None unless a program sets them."""

    #: The class of each option, and of those that are groups; of a few values, its name.
    _kinds: ClassVar[dict[str, type | str]] = {}
    #: Former names.
    _former: ClassVar[dict[str, str]] = {}
    #: The values of options that are not set, where these are not None; of a few values, names.
    _defaults: ClassVar[dict[str, Any]] = {}

    def __init__(self) -> None:
        self.__dict__["_values"] = {
            name: kind()
            for name, kind in self._kinds.items()
            if isinstance(kind, type) and issubclass(kind, OptionGroup)
        }

    def __getattr__(self, name: str) -> Any:
        name = self._former.get(name, name)
        if name not in self._kinds:
            raise AttributeError(f"{type(self).__name__} has no option {name!r}")
        if name in self._values:
            return self._values[name]
        kind, default = self._kinds[name], self._defaults.get(name)
        return choices(kind)[default] if isinstance(kind, str) and default else default

    def __setattr__(self, name: str, value: object) -> None:
        name = self._former.get(name, name)
        kind = self._kinds.get(name)
        if kind is None:
            raise AttributeError(f"Cannot set the property {name} on {type(self).__name__}.")
        if isinstance(kind, str):
            kind = choices(kind)
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            raise TypeError(
                f'Property "{name}" must be of type {kind}, got: {value!r} (type: {type(value)})'
            )
        self._values[name] = value

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._kinds, *self._former]

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and all(
            getattr(self, name) == getattr(other, name) for name in self._kinds
        )

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = None  # type: ignore[assignment]  # they change

    def _merged(self, options: Any) -> Any:
        """These options with those that another group of the class sets."""
        if type(self) is not type(options):
            raise TypeError(f"{type(self).__name__} cannot be merged with {options!r}")
        values = dict(self._values)
        for name, value in options._values.items():
            known = values.get(name)
            values[name] = known._merged(value) if isinstance(known, OptionGroup) else value
        merged = type(self).__new__(type(self))
        merged.__dict__["_values"] = values
        return merged


class ThreadingOptions(OptionGroup):
    """Options about threads: `options.threading`.

    >>> import graphwright as tf
    >>> options = tf.data.Options()
    >>> options.threading.private_threadpool_size = 4
    >>> options.threading.private_threadpool_size
    4
    """

    _kinds: ClassVar[dict[str, type | str]] = {
        "max_intra_op_parallelism": int,
        "private_threadpool_size": int,
    }


class AutotuneOptions(OptionGroup):
    """Options about numbers that are left to the dataset: `options.autotune`.

    >>> import graphwright as tf
    >>> options = tf.data.Options()
    >>> options.autotune.cpu_budget = 4
    """

    _kinds: ClassVar[dict[str, type | str]] = {
        "autotune_algorithm": "AutotuneAlgorithm",
        "cpu_budget": int,
        "enabled": bool,
        "initial_parallelism": int,
        "min_parallelism": int,
        "ram_budget": int,
    }


class OptimizationOptions(OptionGroup):
    """Options about rewriting the pipeline: `options.experimental_optimization`.

    All rewrites are made unless they are switched off. Two gain no time here, where blocks of
    elements pass through stages, and change what TensorFlow's change:

    - `shuffle_and_repeat_fusion`: a repeated shuffle takes no seed behind its last round. So the
      next iteration has another order than without.
    - `map_and_batch_fusion`: where a map fails, the elements up to the end of the batch are lost.

    >>> import graphwright as tf
    >>> options = tf.data.Options()
    >>> options.experimental_optimization.map_fusion = True
    """

    _kinds: ClassVar[dict[str, type | str]] = dict.fromkeys(
        (
            "apply_default_optimizations", "filter_fusion", "filter_parallelization",
            "inject_prefetch", "map_and_batch_fusion", "map_and_filter_fusion", "map_fusion",
            "map_parallelization", "noop_elimination", "parallel_batch",
            "seq_interleave_prefetch", "shuffle_and_repeat_fusion", "window_and_batch_fusion",
        ),
        bool,
    )  # fmt: skip

    def _allows(self, name: str) -> bool:
        """Whether a rewrite with this name may be made."""
        switch = getattr(self, name)
        return bool(self.apply_default_optimizations is not False if switch is None else switch)


class DistributeOptions(OptionGroup):
    """Options about many workers: `options.experimental_distribute`.

    >>> import graphwright as tf
    >>> options = tf.data.Options()
    >>> policy = tf.data.experimental.AutoShardPolicy.OFF
    >>> options.experimental_distribute.auto_shard_policy = policy
    """

    _kinds: ClassVar[dict[str, type | str]] = {
        "auto_shard_policy": "AutoShardPolicy",
        "num_devices": int,
    }
    _defaults: ClassVar[dict[str, Any]] = {"auto_shard_policy": "AUTO"}


class ServiceOptions(OptionGroup):
    """Options about elements that other processes make: `options.experimental_service`.

    >>> import graphwright as tf
    >>> options = tf.data.Options()
    >>> options.experimental_service.pinned = True
    """

    _kinds: ClassVar[dict[str, type | str]] = {"pinned": bool}


class Options(OptionGroup):
    """How the elements of a dataset are computed.

    Elements always keep the order of the pipeline, also with `deterministic=False`.

    >>> import graphwright as tf
    >>> options = tf.data.Options()
    >>> options.deterministic = False
    >>> tf.data.Dataset.range(3).with_options(options).options().deterministic
    False
    """

    _kinds: ClassVar[dict[str, type | str]] = {
        "autotune": AutotuneOptions,
        "dataset_name": str,
        "deterministic": bool,
        "experimental_distribute": DistributeOptions,
        "experimental_external_state_policy": "ExternalStatePolicy",
        "experimental_optimization": OptimizationOptions,
        "experimental_service": ServiceOptions,
        "experimental_slack": bool,
        "experimental_symbolic_checkpoint": bool,
        "experimental_warm_start": bool,
        "framework_type": list,
        "threading": ThreadingOptions,
    }
    _former: ClassVar[dict[str, str]] = {
        "experimental_deterministic": "deterministic",
        "experimental_threading": "threading",
    }

    def merge(self, options: Options) -> Options:
        """Returns these options with those that others set.

        Args:
            options: Other options.

        Returns:
            New options.

        Raises:
            TypeError: `options` are of another class.
        """
        merged: Options = self._merged(options)
        return merged


def choices(name: str) -> Any:
    """A class of `data.experimental.option_choices`, which the first use imports."""
    return getattr(late_module("graphwright.data.experimental.option_choices"), name)
