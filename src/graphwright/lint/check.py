"""Lint one file: read, interpret, ask every rule."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from graphwright.lint.analysis import Analysis, Place
from graphwright.lint.finding import Finding
from graphwright.lint.lint_config import Config
from graphwright.lint.linted_source import UNREADABLE, LintedSource, Unreadable, read
from graphwright.lint.rules import RULES, Rule

#: A file without these stages nothing, so it is not interpreted.
MODULES = re.compile(r"tensorflow|graphwright|keras|\btf\b")
#: A file that stages anything, or lets Keras do so in a loop, holds one of these.
STAGES = re.compile(
    r"[.@]function\b|import\b[^\n]*\bfunction\b|^ +function\b|\bdef (call|\w+_step)\(self"
    r"|\.(map|filter|flat_map|interleave|scan|group_by_window|take_while|predict)\(",
    re.MULTILINE,
)


def check_file(path: Path, config: Config) -> list[Finding]:
    """The findings of a file, in order; the reason if it cannot be read or parsed."""
    try:
        return check(read(path), config)
    except Unreadable as error:
        where = str(path), error.line, error.column, error.line, error.column
        return [Finding(*where, UNREADABLE, f"not linted: {error}")]
    except OSError as error:
        return [Finding(str(path), 1, 1, 1, 1, UNREADABLE, f"not linted: {error.strerror}")]


def check_text(text: str, config: Config | None = None, path: str = "<text>") -> list[Finding]:
    """The findings of Python source, in order.

    >>> for finding in check_text(
    ...     "import tensorflow as tf\\n@tf.function\\ndef f(x):\\n    print(x)\\n"
    ... ):
    ...     print(finding)
    <text>:4:5: GW101 `print` runs only while tracing, not at each call; tf.print is part of...
    """
    return check(LintedSource(path, text), config or Config())


def check(source: LintedSource, config: Config) -> list[Finding]:
    """The findings of a source that the configuration selects, in order."""
    selected = [rule for code, rule in RULES.items() if config.wants(code, source.path)]
    names = {name.rsplit(".", 1)[-1] for name in config.wrappers}
    about = MODULES.search(source.text) and STAGES.search(source.text)
    if not about and not any(name in source.text for name in names):
        source.tree  # noqa: B018 - a file that does not parse is reported
        return source.unreadable()
    try:
        analysis = Analysis(source, config.wrappers)
        all_findings = set(findings(analysis, selected))
    except RecursionError as error:
        raise Unreadable("its code is nested too deeply") from error
    allowed = [finding for finding in all_findings if source.allows(finding)]
    return sorted([*allowed, *source.unreadable()])


def findings(analysis: Analysis, rules: Iterable[Rule]) -> Iterator[Finding]:
    """The findings of rules in an analysis."""
    rules = list(rules)
    by_type: dict[type[ast.AST], list[Rule]] = {}
    for rule in rules:
        for node_type in rule.nodes:
            by_type.setdefault(node_type, []).append(rule)
    for function in analysis.staged:
        place = Place(analysis, function)
        for node in place.nodes:
            for rule in by_type.get(type(node), ()):
                yield from rule.visit(node, place)
        for rule in rules:
            yield from rule.check_function(place)
    for rule in rules:
        yield from rule.check_module(analysis)
