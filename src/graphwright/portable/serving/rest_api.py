"""The REST calls of TensorFlow Serving, as an application of starlette."""

from __future__ import annotations

import asyncio
import importlib
import json
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import Executor, ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from graphwright.base.errors import OpError
from graphwright.portable.serving.json_values import (
    bytes_of,
    column_answer,
    columns_of,
    refuse,
    row_answer,
    rows_of,
)
from graphwright.portable.serving.row_batching import RowBatching
from graphwright.portable.serving.served_model import (
    RequestError,
    ServedModel,
    ServedSignature,
    ServedVersion,
)
from graphwright.proto.example_pb2 import Example
from graphwright.proto.types_pb2 import DataType
from graphwright.types import dtypes as dt
from graphwright.types.arrays import Array

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response

#: The ways to a model: its newest version, one by number, one by label.
_PATHS = ("", "/versions/{version:int}", "/labels/{label}")
Answer: TypeAlias = Callable[[ServedModel, ServedVersion, "Request"], Awaitable[Any]]


def serving_package(name: str) -> Any:
    """A module of the packages that serve; ModuleNotFoundError says how to install them."""
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name != name.partition(".")[0]:
            raise
        raise ModuleNotFoundError(
            f"models are served with the package `{error.name}`, which is not here: "
            "pip install 'graphwright[serve]'",
            name=error.name,
        ) from None


class RestApi:
    """Answers requests about models.

    Args:
        models: The models by name.
        most_rows: How many rows of several requests are computed together at most; 0 computes each
            request by itself.
    """

    def __init__(self, models: Mapping[str, ServedModel], most_rows: int = 0) -> None:
        self.models = models
        self.most_rows = most_rows
        self.executor: Executor = ThreadPoolExecutor(thread_name_prefix="serving")
        self.batching: dict[int, RowBatching] = {}

    def application(self) -> Starlette:
        """The application of starlette."""
        routing = serving_package("starlette.routing")
        routes = []
        for path in _PATHS:
            base = "/v1/models/{name}" + path
            for ending, method, answer in (
                (":predict", "POST", self.predict),
                (":classify", "POST", self.classify),
                (":regress", "POST", self.regress),
                ("/metadata", "GET", self.metadata),
                ("", "GET", self.status),
            ):
                endpoint = self.endpoint(answer)
                routes.append(routing.Route(base + ending, endpoint, methods=[method]))
        application: Starlette = serving_package("starlette.applications").Starlette(
            routes=routes, exception_handlers={404: self.nothing_there, 405: self.nothing_there}
        )
        return application

    async def nothing_there(self, request: Request, error: Exception) -> Response:
        """The answer to a call that there is not."""
        words = f"Malformed request: {request.method} {request.url.path}"
        return self.response({"error": words}, 404)

    def response(self, content: object, status: int = 200) -> Response:
        """An answer in JSON, in which NaN and infinities may stand."""
        made: Response = serving_package("starlette.responses").Response(
            json.dumps(content, indent=1), status, media_type="application/json"
        )
        return made

    def endpoint(self, answer: Answer) -> Callable[[Request], Awaitable[Response]]:
        """The function of a route: what it answers, or an error in JSON."""

        async def endpoint(request: Request) -> Response:
            try:
                model, version = self.served(request)
                return self.response(await answer(model, version, request))
            except RequestError as error:
                return self.response({"error": str(error)}, error.status)

        return endpoint

    def served(self, request: Request) -> tuple[ServedModel, ServedVersion]:
        """The model and the version in the path of a request."""
        name = request.path_params["name"]
        if name not in self.models:
            raise RequestError(404, f"Servable not found for request: Latest({name})")
        model = self.models[name]
        parts = request.path_params
        return model, model.version(parts.get("version"), parts.get("label"))

    # -- what there is --------------------------------------------------------------------------

    async def status(self, model: ServedModel, version: ServedVersion, request: Request) -> Any:
        """The versions that are served."""
        named = {"version", "label"} & set(request.path_params)
        numbers = [version.number] if named else sorted(model.versions, reverse=True)
        fine = {"error_code": "OK", "error_message": ""}
        return {
            "model_version_status": [
                {"version": str(number), "state": "AVAILABLE", "status": fine} for number in numbers
            ]
        }

    async def metadata(self, model: ServedModel, version: ServedVersion, request: Request) -> Any:
        """The signatures, with names, dtypes and shapes."""
        signatures = {
            name: {
                "inputs": {key: described(info) for key, info in message.inputs.items()},
                "outputs": {key: described(info) for key, info in message.outputs.items()},
                "method_name": message.method_name,
                "defaults": {},
            }
            for name, message in version.messages.items()
        }
        spec = {"name": model.name, "signature_name": "", "version": str(version.number)}
        kind = "type.googleapis.com/tensorflow.serving.SignatureDefMap"
        definitions = {"@type": kind, "signature_def": signatures}
        return {"model_spec": spec, "metadata": {"signature_def": definitions}}

    # -- what is computed -----------------------------------------------------------------------

    async def predict(self, model: ServedModel, version: ServedVersion, request: Request) -> Any:
        """The results of a signature, for rows or for columns."""
        body = await self.body(request)
        signature = version.signature(body.get("signature_name"))
        if ("instances" in body) == ("inputs" in body):
            raise refuse(signature, 'a request has either "instances" or "inputs"')
        if "inputs" in body:
            results = await self.computed(signature, columns_of(signature, body["inputs"]), 0)
            return {"outputs": column_answer(results)}
        rows = rows_of(signature, body["instances"])
        count = len(body["instances"])
        results = await self.computed(signature, rows, count)
        return {"predictions": row_answer(signature, results, count)}

    async def classify(self, model: ServedModel, version: ServedVersion, request: Request) -> Any:
        """Classes with scores, of examples that the signature takes as strings."""
        signature, results, count = await self.of_examples(version, request)
        classes, scores = results.get("classes"), results.get("scores")
        if classes is None and scores is None:
            raise refuse(signature, 'a signature that classifies returns "classes" or "scores"')
        answers = []
        for i in range(count):
            numbers = [] if scores is None else np.ravel(scores[i]).tolist()
            names = [""] * len(numbers)
            if classes is not None:
                words = np.ravel(classes[i])
                names = [w.decode(errors="replace") if isinstance(w, bytes) else str(w)
                         for w in words]  # fmt: skip
            numbers = numbers or [0.0] * len(names)
            answers.append([list(pair) for pair in zip(names, numbers)])
        return {"results": answers}

    async def regress(self, model: ServedModel, version: ServedVersion, request: Request) -> Any:
        """One number for each example that the signature takes as a string."""
        signature, results, count = await self.of_examples(version, request)
        values = results.get("outputs")
        if values is None or values.size != count:
            raise refuse(signature, 'a signature that regresses returns one of "outputs" each')
        return {"results": np.ravel(values).tolist()}

    async def of_examples(
        self, version: ServedVersion, request: Request
    ) -> tuple[ServedSignature, dict[str, Array], int]:
        """The signature, its results and their number, for examples as messages."""
        body = await self.body(request)
        signature = version.signature(body.get("signature_name"))
        names = list(signature.inputs)
        if len(names) != 1 or signature.inputs[names[0]].type.dtype is not dt.string:
            raise refuse(signature, "examples go to a signature of one input of strings")
        examples, context = body.get("examples"), body.get("context", {})
        if not isinstance(examples, list) or not examples or not isinstance(context, dict):
            raise refuse(signature, '"examples" must be a list of objects of features')
        messages = np.empty(len(examples), object)
        messages[:] = [example_of(signature, context, example) for example in examples]
        results = await self.computed(signature, {names[0]: messages}, len(examples))
        return signature, results, len(examples)

    async def body(self, request: Request) -> dict[str, Any]:
        """The object in a request."""
        try:
            body = json.loads(await request.body())
        except (ValueError, RecursionError) as error:
            raise RequestError(400, f"JSON Parse error: {error}") from None
        if not isinstance(body, dict):
            raise RequestError(400, "the request is no object of JSON")
        return body

    async def computed(
        self, signature: ServedSignature, arrays: Mapping[str, Array], count: int
    ) -> dict[str, Array]:
        """The results of a signature; `count` is the number of rows, or 0 for columns."""
        try:
            if count and self.most_rows and signature.takes_rows():
                batching = self.batching.setdefault(
                    id(signature), RowBatching(signature, self.most_rows, self.executor)
                )
                return await batching.run(arrays, count)
            loop = asyncio.get_running_loop()
            return await loop.run_in_executor(self.executor, signature.run, arrays)
        except (OpError, TypeError, ValueError) as error:
            raise refuse(signature, str(error).split("\n")[0]) from error


def described(info: Any) -> dict[str, Any]:
    """A tensor of a signature, in the words of its message."""
    shape = info.tensor_shape
    dims = [{"size": str(dim.size), "name": dim.name} for dim in shape.dim]
    return {
        "dtype": DataType.Name(info.dtype),
        "tensor_shape": {"dim": dims, "unknown_rank": shape.unknown_rank},
        "name": info.name,
    }


def example_of(signature: ServedSignature, context: dict[str, Any], example: object) -> bytes:
    """Features of JSON as a message, with those that all examples share."""
    if not isinstance(example, dict):
        raise refuse(signature, "an example must be an object of features")
    message = Example()
    for name, value in {**context, **example}.items():
        feature = message.features.feature[name]
        values = value if isinstance(value, list) else [value]
        if all(isinstance(v, int) for v in values):
            feature.int64_list.value.extend(map(int, values))
        elif all(isinstance(v, (int, float)) for v in values):
            feature.float_list.value.extend(values)
        else:
            try:
                feature.bytes_list.value.extend(map(bytes_of, values))
            except (TypeError, ValueError) as error:
                raise refuse(signature, f"the feature {name!r}: {error}") from None
    return message.SerializeToString()
