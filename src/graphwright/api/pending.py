"""Top-level ops whose own area file is still to come."""

from __future__ import annotations

import inspect
import pkgutil
from importlib import import_module

from graphwright import ops

TOP_LEVEL: list[str] = []
for _info in pkgutil.iter_modules(ops.__path__):
    _module = import_module(f"graphwright.ops.{_info.name}")
    for _name, _value in vars(_module).items():
        if not inspect.isfunction(_value) or _value.__module__ != _module.__name__:
            continue
        if "name" in inspect.signature(_value).parameters and not _name.startswith("_"):
            globals()[_name] = _value
            TOP_LEVEL.append(_name)
