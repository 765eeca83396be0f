"""What tests leave behind is noticed, and every block of the package leaves nothing."""

from __future__ import annotations

import gc
import os
import sys
import threading
import warnings
from contextlib import ExitStack

import numpy as np
import pytest
from support.process_state import left_behind, state

import graphwright as tf
from graphwright.autodiff.forward import ForwardAccumulator
from graphwright.autodiff.tape import paused
from graphwright.autograph import settings, status
from graphwright.control.dependencies import control_dependencies
from graphwright.explain.trace_record import Debug
from graphwright.function.polymorphic import Eagerly
from graphwright.ir.graph import Graph
from graphwright.machine import background, process_settings, targets
from graphwright.op.interpreter import STATE, activate
from graphwright.trace.tracer import tracing
from graphwright.values.variable import CREATORS


def thread(go):
    made = threading.Thread(target=go.wait, args=(60,))
    made.start()
    return made


def leave_thread(undo):
    go = threading.Event()
    made = thread(go)
    undo.callback(made.join)
    undo.callback(go.set)


def leave_tape(undo):
    tape = tf.GradientTape().__enter__()
    undo.callback(tape.__exit__)


def leave_creator(undo):
    undo.callback(CREATORS.reset, CREATORS.set((print,)))


def leave_features(undo):
    token = settings._features.set(frozenset({settings.Feature.LISTS}))
    undo.callback(settings._features.reset, token)


def leave_collector(undo):
    gc.disable()
    undo.callback(gc.enable)


def leave_turns(undo):
    undo.callback(sys.setswitchinterval, sys.getswitchinterval())
    sys.setswitchinterval(1e-3)


def leave_profile_function(undo):
    undo.callback(sys.setprofile, sys.getprofile())
    sys.setprofile(lambda *event: None)


def leave_file(undo):
    undo.callback(os.close, os.open(os.devnull, os.O_RDONLY))


def leave_hold(undo):
    undo.callback(process_settings.Hold().release)


def leave_debug_mode(undo):
    Debug.on = True
    undo.callback(tf.explain.debug_mode, False)


def leave_eager_functions(undo):
    Eagerly.on = True
    undo.callback(tf.config.run_functions_eagerly, False)


def leave_target(undo):
    blocks = ExitStack()
    blocks.enter_context(targets.aimed_at(targets.Target("wasm32", "generic", frozenset())))
    undo.callback(blocks.close)


LEAVING = [
    leave_thread, leave_tape, leave_creator, leave_features, leave_collector, leave_turns,
    leave_profile_function, leave_file, leave_hold, leave_debug_mode, leave_eager_functions,
    leave_target,
]  # fmt: skip


@pytest.mark.parametrize("leave", LEAVING, ids=lambda leave: leave.__name__)
def test_what_is_left_behind_is_noticed(leave):
    before = state()
    with ExitStack() as undo:
        leave(undo)
        assert left_behind(before)
    assert not left_behind(before)


def test_what_is_compiled_in_the_background_is_waited_for():
    go = threading.Event()

    class Job:
        def run(self):
            """Compiles for a while."""
            go.wait(0.05)

    before, job = state(), Job()
    background.submit(job.run)
    assert not left_behind(before)


# -- every block ----------------------------------------------------------------------------

X = np.float32(2.0)


def summary_writer(tmp_path):
    return tf.summary.create_file_writer(str(tmp_path)).as_default()


BLOCKS = {
    "GradientTape": lambda tmp: tf.GradientTape(),
    "stop_recording": lambda tmp: STACK[-1].stop_recording(),
    "paused": lambda tmp: paused(),
    "ForwardAccumulator": lambda tmp: ForwardAccumulator(tf.constant(X), tf.constant(X)),
    "activate": lambda tmp: activate(None),
    "tracing": lambda tmp: tracing(Graph("f")),
    "variable_creator_scope": lambda tmp: tf.variable_creator_scope(lambda make, **k: make(**k)),
    "name_scope": lambda tmp: tf.name_scope("a"),
    "init_scope": lambda tmp: tf.init_scope(),
    "control_dependencies": lambda tmp: control_dependencies([tf.constant(1)]),
    "features": lambda tmp: settings.features(settings.Feature.LISTS),
    "status": lambda tmp: status.ENABLED,
    "quick_turns": lambda tmp: process_settings.quick_turns(),
    "Profile": lambda tmp: tf.profiler.experimental.Profile(str(tmp)),
    "Trace": lambda tmp: tf.profiler.experimental.Trace("a"),
    "device": lambda tmp: tf.device("/cpu:0"),
    "strategy.scope": lambda tmp: tf.distribute.get_strategy().scope(),
    "writer.as_default": summary_writer,
    "record_if": lambda tmp: tf.summary.record_if(True),
    "TFRecordWriter": lambda tmp: tf.io.TFRecordWriter(str(tmp / "records")),
    "GFile": lambda tmp: tf.io.gfile.GFile(str(tmp / "file"), "w"),
}
STACK = []


@pytest.mark.parametrize("fails", [False, True])
@pytest.mark.parametrize("name", BLOCKS)
def test_a_block_leaves_nothing_behind(name, fails, tmp_path):
    with tf.GradientTape() as tape:
        STACK[:] = [tape]
        gc.collect()
        before = state()
        try:
            with BLOCKS[name](tmp_path):
                y = tf.constant(X) * 2.0
                if fails:
                    raise KeyError
        except KeyError:
            assert fails
        del y
        STACK.clear()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ResourceWarning)
            gc.collect()
        assert STATE.active is tape._recorder
        assert tape._recorder.recording
        assert left_behind(before) == []
