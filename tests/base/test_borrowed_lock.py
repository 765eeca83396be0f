"""A lock for threads that act for others."""

from __future__ import annotations

import threading

import pytest

from graphwright.base.borrowed_lock import BorrowedLock, acting_for, actor


def in_thread(call):
    result = []
    thread = threading.Thread(target=lambda: result.append(call()))
    thread.start()
    thread.join()
    return result[0]


def test_only_who_acts_for_the_owner_takes_it():
    lock, me = BorrowedLock(), actor()

    def helped() -> bool:
        with acting_for(me):
            taken = lock.acquire(blocking=False)
            lock.release()
            return taken

    with lock:
        with lock:
            assert not in_thread(lambda: lock.acquire(blocking=False))
        assert in_thread(helped)
        assert not in_thread(lambda: lock.acquire(timeout=0.001))
    assert in_thread(lambda: lock.acquire(blocking=False) and lock.release() is None)


def test_it_is_not_released_by_others():
    lock = BorrowedLock()
    with pytest.raises(RuntimeError, match="another thread has"):
        lock.release()
