"""Names of devices, and their parts: `tf.DeviceSpec`."""

from __future__ import annotations

from typing import Any

#: The types of devices that a name may have.
DEVICE_TYPES = frozenset({"CPU", "GPU", "TPU", "CUSTOM"})

_NUMBERED = ("replica", "task")


class DeviceSpec:
    """The parts of the name of a device, each of which may be missing.

    Args:
        job: A string: the name of the job, or None.
        replica: An int, or None.
        task: An int, or None.
        device_type: A string such as "CPU", or None.
        device_index: An int, or None.

    >>> import graphwright as tf
    >>> spec = tf.DeviceSpec(job="localhost", device_type="CPU", device_index=1)
    >>> spec.to_string()
    '/job:localhost/device:CPU:1'
    """

    __slots__ = ("_parts",)

    def __init__(
        self,
        job: str | None = None,
        replica: int | None = None,
        task: int | None = None,
        device_type: str | None = None,
        device_index: int | None = None,
    ) -> None:
        self._parts = (
            None if job is None else str(job),
            None if replica is None else int(replica),
            None if task is None else int(task),
            None if device_type is None else str(device_type),
            None if device_index is None else int(device_index),
        )

    @classmethod
    def from_string(cls, spec: str) -> DeviceSpec:
        """Returns the parts of a name.

        Args:
            spec: A string such as "/job:localhost/device:CPU:1" or "/cpu:1".

        Returns:
            A `tf.DeviceSpec`.

        Raises:
            ValueError: A part of the name is unknown, or there are two types.

        >>> import graphwright as tf
        >>> tf.DeviceSpec.from_string("/task:1/gpu:*").device_type
        'GPU'
        """
        return cls(**_parts_of(spec))

    def parse_from_string(self, spec: str) -> DeviceSpec:
        """Returns the parts of a name, as `from_string` does.

        Args:
            spec: A string such as "/cpu:1".

        Returns:
            A `tf.DeviceSpec`.

        Raises:
            ValueError: A part of the name is unknown, or there are two types.
        """
        return self.from_string(spec)

    @property
    def job(self) -> str | None:
        """The name of the job, or None."""
        return self._parts[0]

    @property
    def replica(self) -> int | None:
        """The number of the replica, or None."""
        return self._parts[1]

    @property
    def task(self) -> int | None:
        """The number of the task, or None."""
        return self._parts[2]

    @property
    def device_type(self) -> str | None:
        """The type, such as "CPU", or None."""
        return self._parts[3]

    @property
    def device_index(self) -> int | None:
        """The number of the device among those of its type, or None."""
        return self._parts[4]

    def make_merged_spec(self, dev: DeviceSpec) -> DeviceSpec:
        """Returns the parts of another spec, and those of this one where the other has none.

        Args:
            dev: A `tf.DeviceSpec`.

        Returns:
            A `tf.DeviceSpec`.

        >>> import graphwright as tf
        >>> cpu = tf.DeviceSpec(device_type="CPU", device_index=3)
        >>> cpu.make_merged_spec(tf.DeviceSpec(job="w", device_index=1)).to_string()
        '/job:w/device:CPU:1'
        """
        merged: Any = [
            mine if other is None else other for mine, other in zip(self._parts, dev._parts)
        ]
        return DeviceSpec(*merged)

    def replace(self, **kwargs: str | int | None) -> DeviceSpec:
        """Returns the spec with other values for some parts.

        Args:
            **kwargs: The parts by name, as the constructor has them.

        Returns:
            A `tf.DeviceSpec`.

        >>> import graphwright as tf
        >>> tf.DeviceSpec(device_type="CPU", device_index=0).replace(device_index=2).to_string()
        '/device:CPU:2'
        """
        parts: Any = dict(zip(_NAMES, self._parts)) | kwargs
        return DeviceSpec(**parts)

    def to_string(self) -> str:
        """Returns the name that the parts make.

        >>> import graphwright as tf
        >>> tf.DeviceSpec(task=1, device_type="CPU").to_string()
        '/task:1/device:CPU:*'
        """
        job, replica, task, kind, index = self._parts
        text = "" if job is None else f"/job:{job}"
        text += "" if replica is None else f"/replica:{replica}"
        text += "" if task is None else f"/task:{task}"
        if kind is not None:
            text += f"/device:{kind}:{'*' if index is None else index}"
        return text

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DeviceSpec) and self._parts == other._parts

    def __hash__(self) -> int:
        return hash(self._parts)

    def __repr__(self) -> str:
        return f"<DeviceSpec({', '.join(f'{n}={p}' for n, p in zip(_NAMES, self._parts))})>"


_NAMES = ("job", "replica", "task", "device_type", "device_index")


def _parts_of(name: str) -> dict[str, Any]:
    """The parts that a name has; ValueError for one that names no device."""
    parts: dict[str, Any] = {}
    for piece in name.split("/"):
        words = piece.split(":")
        if len(words) == 3 and words[0] == "device":
            kind, index = words[1], words[2]
        elif len(words) <= 2 and words[0].upper() in DEVICE_TYPES:
            kind, index = words[0].upper(), words[1] if len(words) == 2 else "*"
        elif len(words) == 2 and words[0] == "job":
            parts["job"] = words[1]
            continue
        elif len(words) == 2 and words[0] in _NUMBERED:
            parts[words[0]] = int(words[1])
            continue
        elif piece == "":
            continue
        else:
            raise ValueError(
                f"Unknown attribute {words[0]!r} is encountered while parsing {name!r}."
            )
        if "device_type" in parts:
            raise ValueError(f"There are two device types in the device {name!r}.")
        parts["device_type"] = kind
        if index != "*":
            parts["device_index"] = int(index)
    return parts
