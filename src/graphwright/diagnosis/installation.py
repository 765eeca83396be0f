"""What graphwright runs on: versions, the processor, BLAS, the cache, the environment."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from typing import Any

from graphwright.diagnosis.cache_command import content_of
from graphwright.machine import targets, threads
from graphwright.machine.disk_cache import disk_cache

#: Packages that graphwright stands on, and those that it works with where they are installed.
NEEDED = ("numpy", "scipy", "llvmlite", "ml_dtypes", "protobuf")
WELCOME = (
    "keras", "onnx", "mpi4py", "matplotlib", "pillow", "uvicorn", "tensorflow", "jax", "torch",
)  # fmt: skip
#: Variables of the environment that change how fast graphwright is; ours are all shown.
VARIABLES = (
    "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "OPENBLAS_CORETYPE", "MKL_NUM_THREADS",
    "KERAS_BACKEND", "PYTHONDONTWRITEBYTECODE", "PYTHONMALLOC",
)  # fmt: skip


def version_of(package: str) -> str | None:
    """The version of an installed package, None where it is not installed."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def versions(packages: tuple[str, ...]) -> str:
    """The installed packages of some, with their versions."""
    pairs = [(package, version_of(package)) for package in packages]
    return ", ".join(f"{package} {version}" for package, version in pairs if version)


def processor_name() -> str:
    """The processor as the system names it."""
    try:
        for line in Path("/proc/cpuinfo").read_text("utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass  # other systems have no such file
    return platform.processor() or platform.machine()


def quota() -> float | None:
    """How many cores the container of this process may use, None where it says nothing."""
    try:
        most, period = Path("/sys/fs/cgroup/cpu.max").read_text().split()
        return None if most == "max" else int(most) / int(period)
    except (OSError, ValueError):
        return None


def blas_libraries() -> list[dict[str, Any]]:
    """The BLAS libraries that NumPy and SciPy use here, as threadpoolctl describes them."""
    import scipy.linalg  # noqa: F401 - it loads its BLAS
    import threadpoolctl

    return [entry for entry in threadpoolctl.threadpool_info() if entry["user_api"] == "blas"]


def environment() -> dict[str, str]:
    """The variables that are set and matter."""
    names = [n for n in os.environ if n.startswith("GRAPHWRIGHT_") or n in VARIABLES]
    return {name: os.environ[name] for name in sorted(names)}


def facts() -> Iterator[tuple[str, str]]:
    """The rows of the report's first part."""
    import graphwright

    python = f"{platform.python_implementation()} {platform.python_version()}"
    yield "graphwright", f"{graphwright.__version__} on {python}, {platform.platform()}"
    yield "stands on", versions(NEEDED)
    yield "beside it", versions(WELCOME) or "nothing that it works with"
    yield "processor", processor_name()
    description = targets.description()
    host = description.host
    bits = host.vectors.bits
    yield "LLVM", f"{description.version}: {host.processor}, {bits}-bit vectors, {host.triple}"
    limit = quota()
    share = "" if limit is None else f", of which the container may use {limit:g}"
    yield "cores", f"{threads.cores()} of {os.cpu_count()}{share}"
    for entry in blas_libraries():
        architecture = entry.get("architecture", "no named processor")
        name = f"{entry['internal_api']} {entry['version']}"
        yield "BLAS", f"{name} for {architecture}, {entry['num_threads']} threads"
    cache = disk_cache()
    yield "cache", "off" if cache is None else f"{content_of(cache).words} in {cache.directory}"
    for name, text in environment().items():
        yield "set", f"{name}={text}"
