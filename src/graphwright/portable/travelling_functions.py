"""Concrete functions that go to other processes: each as a saved model, in memory.

What arrives is a graph and the values of its variables, which are checked as those of a file are.
No code travels. A process reads each function once, so it compiles it once, whatever its threads.
"""

from __future__ import annotations

import hashlib
import io
import tempfile
import zipfile
from collections import OrderedDict
from contextlib import suppress
from pathlib import Path
from typing import Any

from graphwright.base.forks import own_lock
from graphwright.function.concrete import ConcreteFunction
from graphwright.library.objects.module import Module
from graphwright.portable.model_error import malformed
from graphwright.portable.model_saving import save
from graphwright.portable.saved_model import load

#: So many functions that were used last are kept.
_MOST = 64


class ArrivedFunctions:
    """The functions that this process has read, by the digests of their bytes."""

    def __init__(self) -> None:
        #: It is held while a function is read, so no other thread reads it meanwhile.
        self.lock = own_lock(self)
        self.functions: OrderedDict[bytes, ConcreteFunction] = OrderedDict()

    def before(self, digest: bytes) -> ConcreteFunction | None:
        """The function of a digest, if it was read."""
        function = self.functions.get(digest)
        if function is not None:
            # A thread that adds one may have dropped it meanwhile.
            with suppress(KeyError):
                self.functions.move_to_end(digest)
        return function

    def of(self, data: bytes) -> ConcreteFunction:
        """The function of bytes, which are read if they were not."""
        digest = hashlib.sha256(data).digest()
        with self.lock:
            function = self.before(digest)
            if function is None:
                function = self.functions[digest] = unpacked(data)
                if len(self.functions) > _MOST:
                    self.functions.popitem(last=False)
        return function


_ARRIVED = ArrivedFunctions()
_FILES = frozenset(
    (
        *("saved_model.pb", "fingerprint.pb", "variables/variables.index"),
        "variables/variables.data-00000-of-00001",
    )
)


def reduce_function(function: ConcreteFunction) -> tuple[Any, ...]:
    """What `pickle` keeps of a function: what makes it again, and the bytes to make it of."""
    return arrived, (packed(function),)


def packed(function: ConcreteFunction) -> bytes:
    """A function, with the values that its variables have now, as bytes."""
    module: Any = Module()
    module.function = function
    module.state = list(function.variables)
    with tempfile.TemporaryDirectory() as folder:
        save(module, folder)
        result = io.BytesIO()
        with zipfile.ZipFile(result, "w") as archive:
            for path in sorted(Path(folder).rglob("*")):
                if path.is_file():
                    name = path.relative_to(folder).as_posix()
                    archive.writestr(zipfile.ZipInfo(name), path.read_bytes())
    return result.getvalue()


def arrived(data: bytes) -> ConcreteFunction:
    """The function that bytes hold; the same one for the same bytes.

    Raises:
        InvalidArgumentError: They hold none, or one that is damaged.
    """
    return _ARRIVED.of(data)


def arrived_before(digest: bytes) -> ConcreteFunction | None:
    """The function of the bytes of a SHA-256, if this process has read them."""
    return _ARRIVED.before(digest)


def unpacked(data: bytes) -> ConcreteFunction:
    """A new function from bytes, as `arrived` gives it."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            with zipfile.ZipFile(io.BytesIO(data)) as archive:
                for name in archive.namelist():
                    if name not in _FILES:
                        raise malformed(name, "no function has such a file")
                    path = Path(folder, name)
                    path.parent.mkdir(exist_ok=True)
                    path.write_bytes(archive.read(name))
        except zipfile.BadZipFile as error:
            raise malformed("the bytes of a function", str(error)) from None
        module: Any = load(folder)
    function = module.function
    if not isinstance(function, ConcreteFunction):
        raise malformed("the bytes of a function", f"they hold {function!r}")
    return function
