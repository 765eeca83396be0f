"""A folder that is written beside its place, and put there as a whole."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from graphwright.base.files import make_folders, write_to_disk

#: What a saved model consists of. A folder with anything else is not taken away.
_PARTS = frozenset(
    {
        "assets", "assets.extra", "debug", "fingerprint.pb", "saved_model.pb", "saved_model.pbtxt",
        "variables",
    }
)  # fmt: skip


@contextmanager
def new_folder(path: str) -> Iterator[str]:
    """A new folder, which takes the place of `path` when the block ends without an error.

    A model that was there is replaced as a whole, once the new one is on the disk. Where other
    files are in its folder, they stay, and its parts are replaced one after the other.
    """
    path = os.path.abspath(path)
    parent, name = os.path.split(path)
    make_folders(parent)
    new, old = [os.path.join(parent, f".{name}.{os.urandom(8).hex()}") for _ in range(2)]
    os.mkdir(new)
    try:
        yield new
        if not os.path.lexists(path):
            os.rename(new, path)
            return
        for file in Path(new).rglob("*"):
            if file.is_file():
                write_to_disk(file)
        if set(os.listdir(path)) <= _PARTS:
            os.rename(path, old)
            os.rename(new, path)
        else:
            os.mkdir(old)
            for part in sorted(_PARTS):  # first what the model refers to
                replace(os.path.join(path, part), os.path.join(new, part), os.path.join(old, part))
    finally:
        for folder in (new, old):
            shutil.rmtree(folder, ignore_errors=True)


def replace(path: str, new: str, old: str) -> None:
    """Moves a part of a model away, and its new form to its place."""
    if os.path.lexists(path) and (os.path.isdir(path) or not os.path.lexists(new)):
        os.rename(path, old)
    if os.path.lexists(new):
        os.replace(new, path)
