"""The command line of the linter: `graphwright lint PATH...`.

Exit code: 0 for no findings, 1 for some, 2 for a wrong command line or configuration.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

from graphwright.lint import lint_config as configuration
from graphwright.lint.check import check, check_file
from graphwright.lint.finding import Finding
from graphwright.lint.fixes import fix
from graphwright.lint.formats import FORMATS
from graphwright.lint.kinds import words
from graphwright.lint.lint_config import Config, ConfigError
from graphwright.lint.linted_source import LintedSource, Unreadable, encoding_of, read
from graphwright.lint.rules import RULES

SUFFIXES = (".py", ".pyi", ".ipynb")
#: Folders without code of the project.
SKIPPED = words(
    "__pycache__ build dist node_modules site-packages venv .venv .git .tox .nox .eggs"
    " .mypy_cache .ruff_cache .pytest_cache .ipynb_checkpoints"
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the options of the linter."""
    parser.add_argument("paths", nargs="*", type=Path, metavar="PATH", help="files and folders")
    parser.add_argument("--format", choices=FORMATS, default="text", help="default: text")
    parser.add_argument(
        "--select",
        action="extend",
        type=codes,
        default=[],
        metavar="CODES",
        help="only these rules: GW101,GW2",
    )
    parser.add_argument(
        "--ignore",
        action="extend",
        type=codes,
        default=[],
        metavar="CODES",
        help="not these rules",
    )
    parser.add_argument("--fix", action="store_true", help="make the changes that are safe")
    parser.add_argument(
        "--config",
        type=Path,
        metavar="FILE",
        help="the pyproject.toml to use; default: the nearest one",
    )
    parser.add_argument("--rules", action="store_true", help="list the rules")


def codes(text: str) -> list[str]:
    """The codes, or beginnings of codes, in a text that separates them by commas."""
    prefixes = [code.strip().upper() for code in text.split(",") if code.strip()]
    for code in prefixes:
        if not any(known.startswith(code) for known in (*RULES, "GW001")):
            raise argparse.ArgumentTypeError(f"no rule begins with {code}")
    return prefixes


def run(options: argparse.Namespace) -> int:
    """Lint and print; the exit code."""
    if options.rules:
        print("\n".join(f"{code}  {rule.summary}" for code, rule in sorted(RULES.items())))
        return 0
    if not options.paths:
        return refuse("a PATH is missing")
    missing = [str(path) for path in options.paths if not path.exists()]
    if missing:
        return refuse(f"no such file or folder: {', '.join(missing)}")
    try:
        file = options.config or configuration.find(options.paths[0])
        settings = configuration.load(file)
    except (ConfigError, OSError) as error:
        return refuse(str(error))
    settings = configuration.override(settings, options.select, options.ignore)
    findings: list[Finding] = []
    for path in files(options.paths, settings):
        if options.fix and path.suffix != ".ipynb":
            mend(path, settings)
        findings.extend(check_file(path, settings))
    sys.stdout.write(FORMATS[options.format](findings))
    return 1 if findings else 0


def refuse(reason: str) -> int:
    """Print why nothing was linted; the exit code."""
    print(f"graphwright lint: {reason}", file=sys.stderr)
    return 2


def files(paths: list[Path], settings: Config) -> Iterator[Path]:
    """The files to lint: those named, and those in folders, each once."""
    seen: set[Path] = set()
    for path in paths:
        candidates = sorted(path.rglob("*")) if path.is_dir() else [path]
        for file in candidates:
            if path.is_dir():
                inner = file.relative_to(path).parts
                if file.suffix not in SUFFIXES or SKIPPED & set(inner) or settings.excludes(file):
                    continue
            if file.is_file() and file not in seen:
                seen.add(file)
                yield file


def mend(path: Path, settings: Config) -> None:
    """Make the safe changes in a file, which keeps its encoding and its line ends."""
    try:
        source = read(path)
        changed, count = fix(
            source.text, lambda text: check(LintedSource(str(path), text), settings)
        )
    except Unreadable:
        return  # the check reports it
    if count:
        content = path.read_bytes()
        newline = "\r\n" if b"\r\n" in content else "\n"
        path.write_bytes(changed.replace("\n", newline).encode(encoding_of(content)))
