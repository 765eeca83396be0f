"""Shows a golden case as text: what is called with which operands, and what TensorFlow made of it.

    python tools/show_golden.py                     # the areas
    python tools/show_golden.py math                # the cases of an area
    python tools/show_golden.py math expm1          # those whose names have `expm1` in them
    python tools/show_golden.py math math.expm1:3   # one case

An area is a recorded file of tests/golden: `math` is ops_math.npz, `kernels_resize` and `refusals`
are files of their names. The text of a case of an op ends with what graphwright does otherwise.
"""

from __future__ import annotations

import argparse
import gzip
import itertools
import json
import sys
import textwrap
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]  # the golden cases, and what runs them

from corpora import empty_axes
from support import bad_calls, goldens, kernel_goldens

from tools import golden_format as gf


class Golden(NamedTuple):
    """A case: what makes its text, and what a list says of it."""

    show: Callable[[], str]
    summary: str = ""


#: The cases of an area, by name.
Cases = Mapping[str, Golden]

#: A longer array is cut in the middle.
LONGEST = 400


# -- values ---------------------------------------------------------------------------------


def value_text(value: Any) -> str:
    """A value; of an array its dtype, shape and elements."""
    if not isinstance(value, np.ndarray):
        return repr(value) if not isinstance(value, str) else value
    plain = value if value.dtype.kind != "V" else value.astype(np.float32)
    body = np.array2string(plain, separator=", ", threshold=LONGEST, max_line_width=96)
    return f"{head_of(value)} {body}" if "\n" not in body else listed(head_of(value), [body])


def head_of(array: Any) -> str:
    """The dtype and the shape of an array."""
    return f"{'string' if array.dtype == object else array.dtype.name}{list(array.shape)}"


def listed(title: str, lines: Iterable[str]) -> str:
    """A title with lines under it, which may have lines of their own."""
    return "\n".join([title, *[textwrap.indent(line, "  ") for line in lines]])


def named(values: Iterable[Any], names: Iterable[str]) -> Iterator[str]:
    """Values, each behind its name."""
    for name, value in zip(names, values):
        yield f"{name} = {value_text(value)}"


# -- cases of ops ---------------------------------------------------------------------------


def call_text(case: gf.Case, operands: Iterable[str]) -> str:
    """The call of a case, with texts for its arrays."""
    args, kwargs = gf.split(case)[1]([Bare(text) for text in operands])
    words = [*map(repr, args), *[f"{k}={v!r}" for k, v in kwargs.items()]]
    function = case[0] if case[0].startswith("tools.") else f"tf.{case[0]}"
    return f"{function}({', '.join(words)})"


def called(case: gf.Case) -> str:
    """The call of a case, and its operands."""
    arrays = gf.split(case)[0]
    operands = [f"x{i}" for i in range(len(arrays))]
    return listed(call_text(case, operands), named(arrays, operands))


def summary(case: gf.Case) -> str:
    """The call of a case in a line, arrays by dtype and shape."""
    text = call_text(case, [head_of(array) for array in gf.split(case)[0]])
    return textwrap.shorten(text, 100, placeholder=" ...")


class Bare(str):
    """A text that stands in a call without quotes."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def expected(outcome: Mapping[str, Any], store: gf.Store) -> Iterator[str]:
    """What was recorded of a case."""
    for part in ("error", "refused"):
        if part in outcome:
            yield f"raises {outcome[part]}"
    titles = {"values": "returns", "gradient": "gradient", "second": "second gradient"}
    for part, title in titles.items():
        if part in outcome:
            yield listed(title, [value_text(store.unpack(entry)) for entry in outcome[part]])
    if "shapes" in outcome:
        levels = [f"{level}: {shapes}" for level, shapes in zip(gf.LEVELS, outcome["shapes"])]
        yield listed("traced, where the operands' shapes are known: static shapes", levels)


def op_cases(area: str) -> Cases:
    """The cases of ops of an area: the third of a function is `function:3`."""
    module, store, groups = goldens.area_of(area)

    def show(case: gf.Case) -> str:
        outcome = store.index.get(gf.digest(case))
        if outcome is None:
            return f"{called(case)}\nnot recorded: python tools/record_goldens.py {area}"
        if goldens.departs(module, case):
            today = f"meant to differ: DEPARTURES of tools/golden/{area}.py"
        else:
            wrong = list(goldens.differences(module, case, outcome, store))
            today = listed("graphwright differs", wrong) if wrong else "graphwright does the same"
        return "\n".join([called(case), *expected(outcome, store), today])

    return {
        f"{function}:{number}": Golden(partial(show, case), summary(case))
        for function, cases in groups.items()
        for number, case in enumerate(cases, 1)
    }


def further_cases(name: str, cases: Iterable[tuple[str, gf.Case]]) -> Cases:
    """The cases of a file whose keys are areas and digests: gradients alone are recorded."""
    store = gf.Store.read(gf.GOLDEN / f"{name}.npz")
    numbers: Counter[str] = Counter()

    def show(case: gf.Case, key: str) -> str:
        entry = store.index[key]
        outcome = entry if isinstance(entry, dict) else {"second": entry}
        return "\n".join([called(case), *expected(outcome, store)])

    shown = {}
    for area, case in cases:
        key = f"{area} {gf.digest(case)}"
        if key in store.index:
            numbers[case[0]] += 1
            shown[f"{case[0]}:{numbers[case[0]]}"] = Golden(partial(show, case, key), summary(case))
    return shown


def all_op_cases() -> Iterator[tuple[str, gf.Case]]:
    """The cases of all areas of ops."""
    for area in goldens.AREAS:
        for case in itertools.chain(*goldens.area_of(area)[2].values()):
            yield area, case


# -- kernels, bad calls, texts --------------------------------------------------------------


def kernel_cases(family: str) -> Cases:
    """The calls of kernels of a family."""

    def show(case: kernel_goldens.Case) -> str:
        operands = [f"x{i}" for i in range(len(case.args))]
        words = [*operands, *[f"{k}={v!r}" for k, v in case.kwargs.items()]]
        results = case.result if isinstance(case.result, (list, tuple)) else [case.result]
        return "\n".join([
            listed(f"{case.kernel}({', '.join(words)})", named(case.args, operands)),
            listed("returns", map(value_text, results)),
            f"within {case.ulps} ulps of {'the largest' if case.of_largest else 'each'} element",
        ])  # fmt: skip

    return {case.name: Golden(partial(show, case)) for case in kernel_goldens.load(family)}


def refusal_cases() -> Cases:
    """The bad calls of raw ops."""
    store = gf.Store.read(gf.GOLDEN / "accepted_values.npz")

    def show(op: str, arguments: dict[str, Any], outcome: Any) -> str:
        lines = [f"{name} = {json.dumps(value)}" for name, value in arguments.items()]
        text = [listed(f"tf.raw_ops.{op}", lines)]
        if isinstance(outcome, str):
            return "\n".join([*text, f"raises {outcome}"])
        if outcome is None:
            return "\n".join([*text, "never ends, or ends the process"])
        entry = store.index.get(bad_calls.digest(op, arguments), "undefined")
        values = [entry] if entry == "undefined" else [value_text(store.unpack(e)) for e in entry]
        return "\n".join([*text, f"is taken, and returns {outcome}", listed("values", values)])

    rows = read_json(gf.GOLDEN / "refusals.json.gz")
    return {
        f"{op}, {what}": Golden(partial(show, op, arguments, outcome))
        for op, what, arguments, outcome in rows
    }


def read_json(path: Path) -> Any:
    """The content of a file of JSON, which may be compressed."""
    data = path.read_bytes()
    return json.loads(gzip.decompress(data) if path.suffix == ".gz" else data)


def text_cases(path: Path) -> Cases:
    """The entries of a file of JSON; groups of entries are taken apart."""
    content = read_json(path)
    entries = enumerate(content, 1) if isinstance(content, list) else content.items()
    grouped = isinstance(content, dict) and all(isinstance(v, dict) for v in content.values())
    if grouped and len(content) < 8:  # the groups of a file are few
        entries = ((f"{g}: {k}", v) for g, group in content.items() for k, v in group.items())

    def show(name: str, entry: Any) -> str:
        return listed(name, [entry_text(entry)])

    return {str(name): Golden(partial(show, str(name), entry)) for name, entry in entries}


def entry_text(entry: Any) -> str:
    """A value of JSON: texts as they are, a list of numbers in a line."""
    if isinstance(entry, str):
        return entry
    if isinstance(entry, dict) and entry:
        return "\n".join([listed(f"{key}:", [entry_text(value)]) for key, value in entry.items()])
    if isinstance(entry, list) and any(isinstance(v, (list, dict, str)) for v in entry):
        parts = [textwrap.indent(entry_text(value), "  ")[2:] for value in entry]
        return "\n".join([f"- {part}" for part in parts])
    return json.dumps(entry)


def areas() -> Mapping[str, Callable[[], Cases]]:
    """What makes the cases of each area."""
    known: dict[str, Callable[[], Cases]] = {a: partial(op_cases, a) for a in goldens.AREAS}
    for family in kernel_goldens.families():
        known[f"kernels_{family}"] = partial(kernel_cases, family)
    known["second_gradients"] = lambda: further_cases("second_gradients", all_op_cases())
    known["empty_gradients"] = lambda: further_cases("empty_gradients", empty_axes.cases())
    for path in sorted(gf.GOLDEN.glob("*.json*")):
        name = path.name.partition(".")[0]
        known[f"{name}.json" if name in goldens.AREAS else name] = partial(text_cases, path)
    known["refusals"] = refusal_cases
    return known


# -- the command ----------------------------------------------------------------------------


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints areas, cases or a case; 1 where there is none of that name."""
    parser = argparse.ArgumentParser("show_golden", description=str(__doc__).partition("\n")[0])
    parser.add_argument("area", nargs="?", help="a recorded file, as `math`")
    parser.add_argument("case", nargs="?", default="", help="a case, or a part of its name")
    given = parser.parse_args(arguments)
    known = areas()
    if given.area is None:
        print("\n".join(sorted(known)))
        return 0
    if given.area not in known:
        print(f"there is no area {given.area}; there are {', '.join(sorted(known))}")
        return 1
    cases = known[given.area]()
    names = [given.case] if given.case in cases else [n for n in cases if given.case in n]
    if len(names) == 1:
        print(cases[names[0]].show())
    elif names:
        print("\n".join([f"{name}  {cases[name].summary}".rstrip() for name in names]))
    else:
        print(f"{given.area} has no case with {given.case!r} in its name")
    return 0 if names else 1


if __name__ == "__main__":
    sys.exit(main())
