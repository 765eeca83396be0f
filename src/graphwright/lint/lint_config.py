"""The files to lint and the rules to ask: `[tool.graphwright.lint]` and the command line."""

from __future__ import annotations

import fnmatch
import sys
from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

SECTION = ("tool", "graphwright", "lint")


class ConfigError(Exception):
    """The configuration is wrong."""


@dataclass(frozen=True)
class Config:
    """The options, named as in pyproject.toml with "-" for "_"."""

    select: tuple[str, ...] = ("GW",)  # prefixes of codes
    ignore: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()  # patterns of paths, beside those that are never linted
    wrappers: tuple[str, ...] = ()  # functions that stage as tf.function does: "package.jit"
    per_file_ignores: tuple[tuple[str, tuple[str, ...]], ...] = ()

    def wants(self, code: str, path: str) -> bool:
        """Whether a rule is asked about a file; the longer prefix decides."""
        ignored = list(self.ignore)
        for pattern, codes in self.per_file_ignores:
            if matches(path, pattern):
                ignored.extend(codes)
        chosen = max((len(p) for p in self.select if code.startswith(p)), default=0)
        refused = max((len(p) for p in ignored if code.startswith(p)), default=0)
        return chosen > refused

    def excludes(self, path: Path) -> bool:
        """Whether a path in a folder is left out."""
        return any(matches(path.as_posix(), pattern) for pattern in self.exclude)


def matches(path: str, pattern: str) -> bool:
    """Whether a pattern matches a path: the whole of it, its end, or one of its folders."""
    path = Path(path).as_posix()
    return (
        fnmatch.fnmatch(path, pattern)
        or fnmatch.fnmatch(path, f"*/{pattern}")
        or fnmatch.fnmatch(path, f"{pattern}/*")
        or fnmatch.fnmatch(path, f"*/{pattern}/*")
    )


def find(start: Path) -> Path | None:
    """The nearest pyproject.toml at or above a path that has the section."""
    start = start.resolve()
    for folder in (start, *start.parents):
        file = folder / "pyproject.toml"
        if file.is_file() and section(file) is not None:
            return file
    return None


def section(file: Path) -> dict[str, Any] | None:
    """The linter's section of a file, or None."""
    try:
        part: Any = tomllib.loads(file.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{file}: {error}") from error
    for name in SECTION:
        part = part.get(name) if isinstance(part, dict) else None
    return part if isinstance(part, dict) else None


def load(file: Path | None) -> Config:
    """The configuration in a file, or the default one."""
    stated = section(file) if file is not None else None
    if not stated:
        return Config()
    known = {field.name.replace("_", "-"): field.name for field in fields(Config)}
    options: dict[str, Any] = {}
    for name, value in stated.items():
        if name not in known:
            raise ConfigError(f"{file}: no option {name!r}; there are {', '.join(known)}")
        if name == "per-file-ignores" and isinstance(value, dict):
            options[known[name]] = tuple((k, texts(v, name, file)) for k, v in value.items())
        else:
            options[known[name]] = texts(value, name, file)
    return Config(**options)


def texts(value: object, name: str, file: Path | None) -> tuple[str, ...]:
    """A list of strings of the configuration."""
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return tuple(value)
    raise ConfigError(f"{file}: {name} must be a list of strings, got {value!r}")


def override(config: Config, select: Iterable[str], ignore: Iterable[str]) -> Config:
    """The configuration with the rules of the command line."""
    select, ignore = tuple(select), tuple(ignore)
    return replace(config, select=select or config.select, ignore=(*config.ignore, *ignore))
