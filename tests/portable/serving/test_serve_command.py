"""`graphwright serve` in a process of its own, asked by a client of HTTP."""

from __future__ import annotations

import base64
import json
import os
import signal
import subprocess
import sys
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")

import graphwright as tf
from graphwright.__main__ import main


class Served(tf.Module):
    """A model of several signatures."""

    def __init__(self, factor: float) -> None:
        super().__init__()
        self.factor = tf.Variable(factor)

    @tf.function(input_signature=[tf.TensorSpec([None, 2], name="x")])
    def scale(self, x: Any) -> Any:
        return {"y": self.factor * x}

    @tf.function(
        input_signature=[
            tf.TensorSpec([None], tf.string, "word"), tf.TensorSpec([None], tf.int32, "count")
        ]
    )  # fmt: skip
    def words(self, word: Any, count: Any) -> Any:
        doubled = tf.strings.join([word, word])
        return {"text": doubled, "raw_bytes": doubled, "more": count + 1}

    @tf.function(input_signature=[tf.TensorSpec([None], name="x")])
    def total(self, x: Any) -> Any:
        return {"sum": tf.reduce_sum(x)}

    @tf.function(input_signature=[tf.TensorSpec([None], tf.string, "examples")])
    def classify(self, examples: Any) -> Any:
        size = tf.cast(tf.strings.length(examples), tf.float32)
        names = tf.strings.as_string(tf.strings.length(examples))
        scores = tf.stack([size, -size], 1)
        return {"classes": tf.stack([names, tf.strings.join(["-", names])], 1), "scores": scores}

    @tf.function(input_signature=[tf.TensorSpec([None], tf.string, "examples")])
    def regress(self, examples: Any) -> Any:
        return {"outputs": tf.cast(tf.strings.length(examples), tf.float32)}


def saved(folder: Path, factor: float) -> None:
    """Saves a model."""
    model = Served(factor)
    signatures = {
        "serving_default": model.scale, "words": model.words, "total": model.total,
        "classify": model.classify, "regress": model.regress,
    }  # fmt: skip
    tf.saved_model.save(model, str(folder), signatures=signatures)


class Server:
    """A server's process, and what it is asked."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        command = [sys.executable, "-m", "graphwright", "serve", str(folder), "--port", "0"]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
        self.process = subprocess.Popen(
            [*command, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env=environment,
        )  # fmt: skip
        assert self.process.stdout is not None
        self.line = self.process.stdout.readline()
        self.url = self.line.rpartition(": ")[2].strip()

    def ask(self, ending: str = "", body: Any = None) -> tuple[int, Any]:
        """The status and the answer to a request."""
        data = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
        try:
            with urllib.request.urlopen(self.url + ending, data, timeout=60) as answer:
                return answer.status, json.loads(answer.read())
        except urllib.error.HTTPError as error:
            return error.code, json.loads(error.read())

    def end(self) -> tuple[int, str]:
        """Ends it as Ctrl-C does; its exit code and what it said."""
        self.process.send_signal(signal.SIGINT)
        _, errors = self.process.communicate(timeout=60)
        return self.process.returncode, errors


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("models") / "served"
    for number, factor in ((1, 10.0), (3, 3.0), (12, 2.0)):
        saved(folder / str(number), factor)
    server = Server(folder, "--all-versions", "--label", "stable=3", "--batch", "64")
    yield server
    assert server.end() == (0, "")


def test_rows_and_columns_are_predicted(server: Server) -> None:
    rows = [[1.0, 2.0], [3.0, 4.5]]
    doubled = [[2.0, 4.0], [6.0, 9.0]]
    assert server.line.startswith("served, version 1, 3, 12: http://127.0.0.1:")
    assert server.ask(":predict", {"instances": rows}) == (200, {"predictions": doubled})
    named = [{"x": row} for row in rows]
    assert server.ask(":predict", {"instances": named}) == (200, {"predictions": doubled})
    assert server.ask(":predict", {"inputs": rows}) == (200, {"outputs": doubled})
    assert server.ask(":predict", {"inputs": {"x": rows}}) == (200, {"outputs": doubled})


def test_strings_bytes_and_integers(server: Server) -> None:
    encoded = {"b64": base64.b64encode(b"\xff\x00").decode()}
    instances = [{"word": "ab", "count": 1}, {"word": encoded, "count": -5}]
    status, answer = server.ask(":predict", {"signature_name": "words", "instances": instances})
    twice = [base64.b64encode(word * 2).decode() for word in (b"ab", b"\xff\x00")]
    assert status == 200
    assert answer["predictions"] == [
        {"text": "abab", "raw_bytes": {"b64": twice[0]}, "more": 2},
        {"text": {"b64": twice[1]}, "raw_bytes": {"b64": twice[1]}, "more": -4},
    ]


def test_nan_and_infinities_go_both_ways(server: Server) -> None:
    status, answer = server.ask(":predict", b'{"instances": [[NaN, -Infinity], [0.1, 1e400]]}')
    assert status == 200
    np.testing.assert_array_equal(
        answer["predictions"], [[np.nan, -np.inf], [0.2, np.inf]]
    )  # fmt: skip


def test_versions_and_labels(server: Server) -> None:
    body = {"instances": [[1.0, 1.0]]}
    assert server.ask("/versions/1:predict", body)[1] == {"predictions": [[10.0, 10.0]]}
    assert server.ask("/labels/stable:predict", body)[1] == {"predictions": [[3.0, 3.0]]}
    assert server.ask("/versions/2:predict", body)[0] == 404
    assert server.ask("/labels/other:predict", body)[0] == 404
    _, answer = server.ask()
    assert [entry["version"] for entry in answer["model_version_status"]] == ["12", "3", "1"]
    assert answer["model_version_status"][0]["state"] == "AVAILABLE"
    assert len(server.ask("/versions/3")[1]["model_version_status"]) == 1


def test_metadata_has_the_signatures(server: Server) -> None:
    _, answer = server.ask("/labels/stable/metadata")
    assert answer["model_spec"] == {"name": "served", "signature_name": "", "version": "3"}
    signatures = answer["metadata"]["signature_def"]["signature_def"]
    x = signatures["serving_default"]["inputs"]["x"]
    assert (x["dtype"], [dim["size"] for dim in x["tensor_shape"]["dim"]]) == (
        "DT_FLOAT", ["-1", "2"],
    )  # fmt: skip
    assert signatures["words"]["method_name"] == "tensorflow/serving/predict"


def test_examples_are_classified_and_regressed(server: Server) -> None:
    examples = [{"name": "ann"}, {"name": {"b64": "Ym9iYnk="}, "age": [8], "size": 1.5}]
    sizes = []
    for name, numbers in ((b"ann", {"age": 4}), (b"bobby", {"age": 8, "size": 1.5})):
        message = tf.train.Example()
        feature = message.features.feature
        feature["name"].bytes_list.value.append(name)
        feature["age"].int64_list.value.append(numbers["age"])
        if "size" in numbers:
            feature["size"].float_list.value.append(numbers["size"])
        sizes.append(len(message.SerializeToString()))
    body = {"signature_name": "classify", "context": {"age": 4}, "examples": examples}
    labelled = [[[str(size), size], [f"-{size}", -size]] for size in sizes]
    assert server.ask(":classify", body) == (200, {"results": labelled})
    body["signature_name"] = "regress"
    assert server.ask(":regress", body) == (200, {"results": sizes})
    body = {"examples": examples}
    status, answer = server.ask(":regress", body)
    assert status == 400
    assert "examples go to a signature of one input of strings" in answer["error"]


SCALE = "serving_default(x: float32[?,2]) -> y: float32[?,2]"


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"{", "JSON Parse error"),
        (b"[]", "the request is no object of JSON"),
        ({}, f'either "instances" or "inputs"; expected {SCALE}'),
        ({"instances": 3}, f'"instances" must be a list of rows; expected {SCALE}'),
        ({"instances": [[1, 2, 3]]}, f"the input 'x' has shape [1,3]; expected {SCALE}"),
        ({"instances": [[1, 2], [3]]}, "its lists are not of one length"),
        ({"instances": [["a", "b"]]}, "'a' is no float32"),
        ({"instances": [{"z": [1, 2]}]}, "row 0 has z, not x"),
        ({"inputs": {"z": [[1, 2]]}}, '"inputs" has z, not x'),
        ({"signature_name": "other", "instances": [[1, 2]]}, "the model has no signature 'other'"),
        ({"signature_name": "total", "instances": [1]}, 'ask with "inputs" and not "instances"'),
        ({"signature_name": "words", "instances": [["a", 1]]}, "a row must be an object"),
        (
            {"signature_name": "words", "inputs": {"word": ["a"], "count": [1.5]}},
            "1.5 is no int32",
        ),
        (
            {"signature_name": "words", "inputs": {"word": ["a"], "count": [1 << 40]}},
            "does not fit int32",
        ),
        (
            {"signature_name": "words", "inputs": {"word": [{"b64": "?"}], "count": [1]}},
            "no base64",
        ),
        (
            {"signature_name": "words", "inputs": {"word": ["a", "b", "c"], "count": [1, 2]}},
            None,
        ),
    ],
)
def test_bad_requests_are_answered_with_what_was_expected(
    server: Server, body: Any, words: str | None
) -> None:
    status, answer = server.ask(":predict", body)
    if words is None:  # the function takes it: nothing ties the sizes of its inputs
        assert status == 200
        return
    assert status == 400
    assert words in answer["error"]


def test_other_models_and_other_calls_are_not_there(server: Server) -> None:
    host = server.url.rpartition("/v1/")[0]
    other = Server.__new__(Server)
    other.url = f"{host}/v1/models/other"
    assert other.ask(":predict", {"instances": []})[0] == 404
    other.url = f"{host}/v2/health"
    assert other.ask() == (404, {"error": "Malformed request: GET /v2/health"})


def test_many_requests_at_once_get_their_own_rows(server: Server) -> None:
    found: dict[int, Any] = {}

    def ask(number: int) -> None:
        rows = [[float(number), float(i)] for i in range(1 + number % 3)]
        found[number] = rows, server.ask(":predict", {"instances": rows})

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(24)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for rows, answer in found.values():
        assert answer == (200, {"predictions": (2 * np.array(rows)).tolist()})


def test_what_is_no_model_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["serve", str(tmp_path), "--port", "0"]) == 2
    assert "has no saved model, nor folders with numbers" in capsys.readouterr().err
    assert main(["serve", str(tmp_path / "gone")]) == 2
    assert "gone has no saved model, nor folders with numbers" in capsys.readouterr().err
    saved(tmp_path / "1", 1.0)
    assert main(["serve", str(tmp_path), "--label", "a"]) == 2
    assert "a label is NAME=VERSION, such as stable=3, not 'a'" in capsys.readouterr().err
    assert main(["serve", str(tmp_path), "--label", "a=2"]) == 2
    assert "has no version 2, but [1]" in capsys.readouterr().err
