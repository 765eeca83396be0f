"""Generate src/graphwright/proto/*_pb2.py and their stubs from the .proto files beside them.

Usage: python tools/generate_protos.py

The compiler is an old one, in an environment of its own: what it writes runs on every
protobuf from 4.25 on, while what newer compilers write refuses runtimes older than they.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import venv
from pathlib import Path

COMPILER = ["grpcio-tools==1.62.3", "setuptools<80"]  # protoc 4.25, which needs pkg_resources
SOURCE = Path(__file__).parent.parent / "src"


def main() -> None:
    """Compile every .proto file."""
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        scripts = "Scripts" if sys.platform == "win32" else "bin"
        python = str(Path(folder) / scripts / "python")
        subprocess.run([python, "-m", "pip", "install", "--quiet", *COMPILER], check=True)
        protos = sorted(path.relative_to(SOURCE).as_posix() for path in SOURCE.rglob("*.proto"))
        compiler = [python, "-m", "grpc_tools.protoc", "-I", ".", "--python_out=.", "--pyi_out=."]
        subprocess.run([*compiler, *protos], check=True, cwd=SOURCE)


if __name__ == "__main__":
    main()
