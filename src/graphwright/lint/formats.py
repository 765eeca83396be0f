"""Findings as text, JSON, SARIF, and GitHub's workflow commands."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from urllib.parse import quote

from graphwright.lint.finding import Finding
from graphwright.lint.linted_source import UNREADABLE
from graphwright.lint.rules import RULES

PAGES = "docs/lint"


def text(findings: Sequence[Finding]) -> str:
    """One line for each finding, as compilers write them, then their number."""
    lines = [str(finding) for finding in findings]
    if not lines:
        return "No findings.\n"
    fixable = sum(bool(finding.fix) for finding in findings)
    mend = f"; --fix mends {fixable}" if fixable else ""
    lines.append(f"{len(findings)} finding{'s' * (len(findings) > 1)}{mend}.")
    return "\n".join(lines) + "\n"


def to_json(findings: Sequence[Finding]) -> str:
    """A JSON list with an object for each finding."""
    return (
        json.dumps(
            [
                {
                    "path": finding.path,
                    "line": finding.line,
                    "column": finding.column,
                    "end_line": finding.end_line,
                    "end_column": finding.end_column,
                    "code": finding.code,
                    "message": finding.message,
                    "fixable": bool(finding.fix),
                }
                for finding in findings
            ],
            indent=2,
        )
        + "\n"
    )


def sarif(findings: Sequence[Finding]) -> str:
    """SARIF 2.1.0, which code hosts and editors read."""
    codes = sorted({finding.code for finding in findings})
    rules = [
        {
            "id": code,
            "shortDescription": {"text": summary(code)},
            "help": {"text": f"{summary(code)}. See {PAGES}/{code}.md."},
        }
        for code in codes
    ]
    results = [
        {
            "ruleId": finding.code,
            "ruleIndex": codes.index(finding.code),
            "level": "error" if finding.code == UNREADABLE else "warning",
            "message": {"text": finding.message},
            "locations": [{"physicalLocation": _location(finding)}],
        }
        for finding in findings
    ]
    driver = {"name": "graphwright", "rules": rules}
    document = {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [
            {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
        ],
    }
    return json.dumps(document, indent=2) + "\n"


def _location(finding: Finding) -> dict[str, object]:
    region = {
        "startLine": finding.line,
        "startColumn": finding.column,
        "endLine": finding.end_line,
        "endColumn": finding.end_column,
    }
    return {"artifactLocation": {"uri": _uri(finding.path)}, "region": region}


def _uri(path: str) -> str:
    """A path relative to the current folder, as code hosts expect it; else an absolute one."""
    file = Path(path.split(":cell ")[0]).resolve()
    if file.is_relative_to(Path.cwd()):
        return quote(file.relative_to(Path.cwd()).as_posix())
    return file.as_uri()


def github(findings: Sequence[Finding]) -> str:
    """Workflow commands: annotations at the lines of a pull request."""
    lines = []
    for finding in findings:
        path = _escaped(finding.path.split(":cell ")[0], ":,")
        place = f"file={path},line={finding.line},col={finding.column},endLine={finding.end_line}"
        title = f"title={finding.code}"
        lines.append(f"::warning {place},{title}::{_escaped(finding.message)}\n")
    return "".join(lines)


def _escaped(message: str, also: str = "") -> str:
    for character in "%\r\n" + also:
        message = message.replace(character, f"%{ord(character):02X}")
    return message


def summary(code: str) -> str:
    """The summary of the rule with a code."""
    return RULES[code].summary if code in RULES else "The file cannot be read or parsed"


FORMATS: dict[str, Callable[[Sequence[Finding]], str]] = {
    "text": text,
    "json": to_json,
    "sarif": sarif,
    "github": github,
}
