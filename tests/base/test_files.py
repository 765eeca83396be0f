"""Locks of files: one holder at a time, also within a process, and none after its end."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from graphwright.base.files import LockFile


def test_a_lock_has_one_holder(tmp_path: Path) -> None:
    one, two = (LockFile(tmp_path / "lock") for _ in range(2))
    assert one.acquire()
    assert not two.acquire()
    one.release()
    assert two.acquire()
    assert not one.acquire()
    two.release()


def test_a_lock_ends_with_its_process(tmp_path: Path) -> None:
    program = (
        "import sys, time\nfrom pathlib import Path\n"
        "from graphwright.base.files import LockFile\n"
        "print(LockFile(Path(sys.argv[1])).acquire(), flush=True)\ntime.sleep(60)"
    )
    lock = LockFile(tmp_path / "lock")
    command = [sys.executable, "-c", program, str(lock.path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"True\n"
        assert not lock.acquire()
        holder.kill()
    assert lock.acquire()
    lock.release()
