"""Concrete functions that go to other processes: each as a saved model, in memory.

What arrives is a graph and the values of its variables, which are checked as those of a file are.
No code travels. A process reads each function once, so it compiles it once.
"""

from __future__ import annotations

import hashlib
import io
import tempfile
import zipfile
from collections import OrderedDict
from pathlib import Path
from typing import Any

from graphwright.function.concrete import ConcreteFunction
from graphwright.library.objects.module import Module
from graphwright.portable.model_error import malformed
from graphwright.portable.model_saving import save
from graphwright.portable.saved_model import load

#: So many functions that arrived last are kept.
_MOST = 64
_ARRIVED: OrderedDict[bytes, ConcreteFunction] = OrderedDict()
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
    digest = hashlib.sha256(data).digest()
    function = _ARRIVED.get(digest)
    if function is None:
        function = _ARRIVED[digest] = unpacked(data)
        if len(_ARRIVED) > _MOST:
            _ARRIVED.popitem(last=False)
    return function


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
