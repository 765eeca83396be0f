"""Records tests/golden/refusals.json.gz: what TensorFlow makes of bad calls of its raw ops.

    python tools/record_refusal_goldens.py calls       # with this package: adds calls
    python tools/record_refusal_goldens.py outcomes    # with TensorFlow 2.21: records the new ones
    python tools/record_refusal_goldens.py least       # with TensorFlow 2.21: records least.json
    python tools/record_refusal_goldens.py values      # with it too: what the accepted ones give

A line of the file is `[op, what is wrong, arguments, outcome]`: the name of the error's class, the
dtypes and shapes of the results, or null for a call that never ends or ends TensorFlow's process.
tests/golden/accepted_values.npz has the values of these results, those that are the same in two
processes that begin with different memory and make the calls in different orders: what TensorFlow
never writes into, or reads outside of an operand, is not, and no number that is drawn. A whole call
is undefined that fails in one of them.
"""

from __future__ import annotations

import contextlib
import gzip
import json
import os
import pickle
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import recording

FILE = recording.GOLDEN / "refusals.json.gz"
VALUES = recording.GOLDEN / "accepted_values.npz"
NEW = "not recorded"
SECONDS = 30
#: A value in which two runs of TensorFlow differ, or that is too large to be kept.
UNDEFINED = "undefined"
#: The elements of the largest value that is kept.
LARGEST = 10_000


def read() -> list[Any]:
    """The calls of the file."""
    result: list[Any] = json.loads(gzip.decompress(FILE.read_bytes()))
    return result


def write(rows: list[Any]) -> None:
    """Writes the file, one call a line."""
    lines = [json.dumps(row, separators=(",", ":")) for row in rows]
    text = "[\n" + ",\n".join(lines) + "\n]\n"
    FILE.write_bytes(gzip.compress(text.encode(), mtime=0))


def add_calls() -> None:
    """Adds bad calls of each op that golden cases come to, of the use that is known if one is."""
    from corpora.bad_call_examples import EXAMPLES
    from support import bad_calls, op_uses

    rows = [row for row in read() if row[3] != NEW] if FILE.exists() else []
    known = {json.dumps(row[:3]) for row in rows}
    uses = {name: arguments for name, (_, arguments) in op_uses.smallest().items()}
    for name, what, arguments, _ in rows:
        if what == "nothing":
            uses[name] = {k: bad_calls.plain(v) for k, v in arguments.items()}
    for name, use in [*uses.items(), *EXAMPLES.items()]:
        for what, wrong in bad_calls.calls_of(use):
            row = [name, what, {k: bad_calls.encoded(v) for k, v in wrong.items()}]
            if json.dumps(row) not in known:
                known.add(json.dumps(row))
                rows.append([*row, NEW])
    write(sorted(rows, key=lambda row: row[0]))
    print(f"{len(rows)} calls, {sum(row[3] == NEW for row in rows)} to be recorded")


def record() -> None:
    """Records what is new, in processes that begin again after a call that ends one."""
    rows = read()
    todo = [i for i, row in enumerate(rows) if row[3] == NEW]
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "outcomes"
        while todo:
            out.write_text("", encoding="utf-8")
            subprocess.run([sys.executable, __file__, "run", str(out), str(todo[0])], check=False)
            result = dict(json.loads(line) for line in out.read_text(encoding="utf-8").splitlines())
            for number, outcome in result.items():
                rows[number][3] = outcome
            todo = [i for i in todo if i not in result]
            if todo:
                rows[todo.pop(0)][3] = None
                write(rows)
    write(rows)
    print(f"{len(rows)} records")


def run(out: str, first: str) -> None:
    """Runs the calls from one on, and writes down each outcome."""
    from support import bad_calls

    tf = recording.tensorflow()
    rows = read()
    with open(out, "a", encoding="utf-8") as file:
        for number in range(int(first), len(rows)):
            name, _, arguments, outcome = rows[number]
            if outcome == NEW:
                signal.alarm(SECONDS)  # some calls never end
                result = outcome_of(tf, name, bad_calls.decoded_arguments(arguments, tf))
                print(json.dumps([number, result]), file=file, flush=True)


def record_least() -> None:
    """Records what TensorFlow's ops state of the least of their attributes, and of the number of
    tensors in their lists, of all ops whose raw forms are recorded."""
    from tensorflow.python.framework import op_def_registry

    result = {}
    for name in sorted(json.loads((FILE.parent / "raw_ops.json").read_text(encoding="utf-8"))):
        op = op_def_registry.get(name)
        least = {}
        for attribute in op.attr if op else ():
            names = (attribute.name,)
            lists = [a.name for a in op.input_arg if names[0] in (a.number_attr, a.type_list_attr)]
            if attribute.has_minimum and (
                attribute.minimum > 0 if lists else attribute.type == "int"
            ):
                least |= dict.fromkeys(lists or names, attribute.minimum)
        if least:
            result[name] = least
    recording.write("least.json", result)


def outcome_of(tf: Any, name: str, arguments: dict[str, Any]) -> Any:
    """What a call gives: dtypes and shapes, or the class of an error."""
    try:
        result = getattr(tf.raw_ops, name)(**arguments)
    except Exception as error:  # noqa: BLE001 - its class is what is recorded
        return type(error).__name__
    leaves = [r for r in tf.nest.flatten(result) if r is not None]
    return [[r.dtype.name, r.shape.as_list() if r.shape.rank is not None else None] for r in leaves]


def record_values() -> None:
    """Records the values of all accepted calls, as far as two processes agree about them."""
    from tools import golden_format as gf

    first, second = evaluated("85", "1"), evaluated("51", "-1")
    store = gf.Store()
    for key, values in first.items():
        others = second[key]
        if UNDEFINED in (values, others):
            store.index[key] = UNDEFINED
            continue
        agreed = [v if same(v, w) else UNDEFINED for v, w in zip(values, others)]
        store.index[key] = [store.pack(value) for value in agreed]
    print(len(store.index), store.write(VALUES))


def evaluated(filler: str, order: str) -> dict[str, Any]:
    """The values of all accepted calls, made from the first on or from the last, by their digests;
    of a call that ends the process, that they are undefined."""
    from support import bad_calls

    rows = [row for row in read()[:: int(order)] if isinstance(row[3], list)]
    keys = [bad_calls.digest(name, arguments) for name, _, arguments, _ in rows]
    result: dict[str, Any] = {}
    memory = {**os.environ, "MALLOC_PERTURB_": filler}
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "values"
        while left := [key for key in keys if key not in result]:
            out.write_bytes(b"")
            first = str(keys.index(left[0]))
            command = [sys.executable, __file__, "evaluate", str(out), order, first]
            subprocess.run(command, check=False, env=memory)
            with open(out, "rb") as file, contextlib.suppress(EOFError):
                while True:
                    result.update([pickle.load(file)])
            missing = [key for key in left if key not in result]
            result.update(dict.fromkeys(missing[:1], UNDEFINED))
    return result


def evaluate(out: str, order: str, first: str) -> None:
    """Writes down the values of all accepted calls from one on."""
    from support import bad_calls

    tf = recording.tensorflow()
    rows = [row for row in read()[:: int(order)] if isinstance(row[3], list)]
    with open(out, "ab") as file:
        for name, _, arguments, _ in rows[int(first) :]:
            values: Any = UNDEFINED
            with contextlib.suppress(tf.errors.OpError):  # it reads outside of an operand
                values = bad_calls.values_of(tf, name, arguments)
            pickle.dump((bad_calls.digest(name, arguments), values), file)
            file.flush()


def same(first: Any, second: Any) -> bool:
    """Whether two runs gave one value, which is not too large."""
    if isinstance(first, str) or first is None:
        return bool(first == second)
    if first.size > LARGEST:
        return False
    if first.dtype.kind in "OSU":
        return bool((first == second).all())
    return bool(first.tobytes() == second.tobytes())


if __name__ == "__main__":
    {
        "calls": add_calls,
        "outcomes": record,
        "run": run,
        "values": record_values,
        "evaluate": evaluate,
        "least": record_least,
    }[sys.argv[1]](*sys.argv[2:])
