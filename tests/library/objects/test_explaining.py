"""`python -m graphwright explain SCRIPT`: a report whatever the program does."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

SRC = Path(__file__).resolve().parents[3] / "src"

BEGIN = """
import os, sys
import graphwright as tf

@tf.function
def f(x):
    return tf.reduce_sum(x)

for n in (1, 2, 3):
    f(tf.ones([n]))
print("ran with", sys.argv[1:], __name__, flush=True)
"""

REPORT = "f: 3 traces in 3 calls"


def start(folder, program, *options, arguments=()):
    script = folder / "program.py"
    script.write_text(program)
    command = [sys.executable, "-m", "graphwright", "explain", *options, str(script), *arguments]
    return subprocess.Popen(
        command,
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(SRC)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def explain(folder, program, *options, arguments=()):
    """Exit code, output and errors of a program that is explained."""
    process = start(folder, program, *options, arguments=arguments)
    out, err = process.communicate(timeout=120)
    return process.returncode, out, err


def test_a_program_runs_as_itself_and_is_reported(tmp_path):
    code, out, err = explain(tmp_path, BEGIN, arguments=["--loud", "2"])
    assert code == 0
    assert out == "ran with ['--loud', '2'] __main__\n"
    assert REPORT in err
    assert "input_signature=[tf.TensorSpec([None], tf.float32)]" in err


def test_it_imports_from_its_own_folder(tmp_path):
    (tmp_path / "beside.py").write_text("value = 5\n")
    _, out, _ = explain(tmp_path, BEGIN + "import beside; print(beside.value)\n")
    assert out.endswith("5\n")


def test_an_exception_is_shown_and_reported(tmp_path):
    code, _, err = explain(tmp_path, BEGIN + "raise RuntimeError('too bad')\n")
    assert code == 1
    assert "RuntimeError: too bad" in err
    assert "runpy" not in err
    assert REPORT in err


def test_a_failed_call_is_explained(tmp_path):
    program = BEGIN + "@tf.function(autograph=False)\ndef g(x):\n    return 1 if x > 0 else 2\n"
    code, _, err = explain(tmp_path, program + "g(tf.constant(1))\n")
    assert code == 1
    assert "Python asks for the truth of a tensor" in " ".join(err.split())


@pytest.mark.parametrize(("end", "code"), [("sys.exit(3)", 3), ("sys.exit()", 0), ("exit(4)", 4)])
def test_an_exit_keeps_its_code(tmp_path, end, code):
    found, _, err = explain(tmp_path, f"{BEGIN}{end}\n")
    assert found == code
    assert REPORT in err


def test_the_report_comes_after_the_programs_own_end(tmp_path):
    program = BEGIN + "import atexit; atexit.register(lambda: f(tf.ones([9])))\n"
    _, _, err = explain(tmp_path, program)
    assert "f: 4 traces in 4 calls" in err


def test_a_program_that_does_not_parse_is_shown_as_python_shows_it(tmp_path):
    code, _, err = explain(tmp_path, "def broken(:\n")
    assert code == 1
    assert err.lstrip().startswith("File")
    assert "SyntaxError" in err


def test_an_exit_that_skips_all_else_is_reported(tmp_path):
    code, _, err = explain(tmp_path, BEGIN + "os._exit(5)\n")
    assert code == 5
    assert err.count(REPORT) == 1


@pytest.mark.skipif(not hasattr(os, "fork"), reason="forks")
def test_a_child_that_leaves_at_once_has_no_report(tmp_path):
    program = BEGIN + "child = os.fork()\nif not child: os._exit(0)\nos.waitpid(child, 0)\n"
    code, _, err = explain(tmp_path, program)
    assert code == 0
    assert err.count("traces in") == 1


@pytest.mark.skipif(not hasattr(os, "fork"), reason="forks")
def test_a_fork_gets_one_report(tmp_path):
    program = BEGIN + "child = os.fork()\nif child:\n    os.waitpid(child, 0)\nf(tf.ones([4]))\n"
    code, _, err = explain(tmp_path, program)
    assert code == 0
    assert err.count("traces in") == 1
    assert "f: 4 traces in 4 calls" in err


@pytest.mark.skipif(os.name != "posix", reason="sends a signal")
def test_a_program_that_is_terminated_is_reported(tmp_path):
    process = start(tmp_path, BEGIN + "import time\ntime.sleep(60)\n")
    assert process.stdout.readline().startswith("ran with")
    process.send_signal(signal.SIGTERM)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 128 + signal.SIGTERM
    assert REPORT in err


def test_a_flood_of_retraces_is_reported(tmp_path):
    program = BEGIN + "for n in range(300):\n    f(tf.ones([n + 5]))\n"
    code, _, err = explain(tmp_path, program, "--html", "page.html")
    assert code == 0
    assert "f: 303 traces in 303 calls" in err
    assert "more" in err
    assert len(err.splitlines()) < 150  # of 303 traces
    assert (tmp_path / "page.html").stat().st_size < 3_000_000


def test_a_flood_of_shapes_and_numbers_is_reported(tmp_path):
    program = BEGIN + "for n in range(40):\n    f(tf.ones([n + 5]))\n    f(float(n))\n"
    code, _, err = explain(tmp_path, program)
    assert code == 0
    assert "f: 83 traces in 83 calls" in err


@pytest.mark.skipif(os.name != "posix", reason="sends a signal")
def test_a_program_that_is_interrupted_is_reported(tmp_path):
    process = start(tmp_path, BEGIN + "import time\ntime.sleep(60)\n")
    assert process.stdout.readline().startswith("ran with")
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 128 + signal.SIGINT
    assert "KeyboardInterrupt" in err
    assert "runpy" not in err
    assert REPORT in err


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_a_program_that_closes_its_streams_is_reported(tmp_path, stream):
    program = f"{BEGIN}sys.{stream}.close()\n"
    explain(tmp_path, program, "--json", "report.json")
    assert "traces" in (tmp_path / "report.json").read_text()


def test_files_lie_where_the_command_was_given(tmp_path):
    (tmp_path / "elsewhere").mkdir()
    explain(tmp_path, BEGIN + "os.chdir('elsewhere')\n", "--html", "a.html", "--json", "a.json")
    assert sorted(path.name for path in tmp_path.glob("a.*")) == ["a.html", "a.json"]


@pytest.mark.skipif(os.name != "posix", reason="replaces the process")
def test_a_program_that_another_one_replaces_is_reported(tmp_path):
    program = BEGIN + "os.execvp(sys.executable, [sys.executable, '-c', 'print(\"other\")'])\n"
    code, out, err = explain(tmp_path, program)
    assert code == 0
    assert out.endswith("other\n")
    assert err.count(REPORT) == 1


def test_functions_that_are_gone_are_reported(tmp_path):
    program = BEGIN + "for i in range(4):\n    tf.function(lambda x: x + 1)(tf.constant(1))\n"
    _, _, err = explain(tmp_path, program)
    assert "4 tf.function objects were made of `<lambda>`" in err


def test_a_program_without_functions(tmp_path):
    code, _, err = explain(tmp_path, "print(1)\n")
    assert code == 0
    assert "called no tf.function" in err


def test_a_missing_script(tmp_path):
    command = [sys.executable, "-m", "graphwright", "explain", "nowhere.py"]
    env = os.environ | {"PYTHONPATH": str(SRC)}
    done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True)
    assert done.returncode == 2
    assert "there is no file 'nowhere.py'" in done.stderr


def test_the_reports_as_json(tmp_path):
    explain(tmp_path, BEGIN, "--json", "reports.json")
    (report,) = json.loads((tmp_path / "reports.json").read_text())
    assert report["name"] == "f"
    assert [t["calls"] for t in report["traces"]] == [1, 1, 1]
    assert report["causes"][0]["fixes"][0]["traces"] == 1
