"""Frames, windows, cosine transforms, mel weights."""

from __future__ import annotations

from typing import Any

import numpy as np
import tensorflow as tf

CLOSE = {"ulps": 8, "of_largest": True}


def record(recorder: Any) -> None:
    """All cases of the family."""
    signal = tf.constant(np.random.default_rng(0).normal(size=(2, 11, 3)))
    for length, step in ((4, 2), (3, 5), (5, 3), (11, 1), (12, 4)):
        for pad_end in (False, True):
            for axis in (1, -1, 0):
                result = tf.signal.frame(signal, length, step, pad_end, -1.0, axis)
                args = (signal, length, step, pad_end, -1.0, axis)
                name = f"frame-{length}-{step}-{pad_end}-{axis}"
                recorder.case(name, "spectral.frame", result, *args)
    for step in (1, 2, 3, 4, 7):
        result = tf.signal.overlap_and_add(signal, step)
        recorder.case(f"overlap-{step}", "spectral.overlap_and_add", result, signal, step, ulps=4)
    for dtype in (tf.float32, tf.float64):
        _transforms(recorder, tf.cast(tf.transpose(signal, [0, 2, 1]), dtype))
    _windows(recorder)


def _transforms(recorder: Any, signal: Any) -> None:
    name_of = signal.dtype.name
    for kind in (1, 2, 3, 4):
        for norm in (None, "ortho"):
            if kind == 1 and norm:
                continue
            result = tf.signal.dct(signal, kind, norm=norm)
            name = f"dct-{kind}-{norm}-{name_of}"
            # TensorFlow takes it from an FFT in the signal's dtype.
            recorder.case(
                name, "spectral.dct", result, signal, kind, norm, ulps=64, of_largest=True
            )
            result = tf.signal.idct(signal, kind, norm=norm)
            args = (signal, kind, norm)
            recorder.case(f"i{name}", "spectral.idct", result, *args, ulps=64, of_largest=True)
    for size in (5, 16):
        result = tf.signal.dct(signal, 2, size)
        args = (signal, 2, None, size)
        name = f"dct-size-{size}-{name_of}"
        recorder.case(name, "spectral.dct", result, *args, ulps=64, of_largest=True)


def _windows(recorder: Any) -> None:
    double = tf.float64
    for length in (1, 2, 7, 16):
        for periodic in (True, False):
            for kind in ("hann", "hamming"):
                result = getattr(tf.signal, f"{kind}_window")(length, periodic, double)
                name = f"{kind}-{length}-{periodic}"
                args = (length, periodic)
                recorder.case(name, f"spectral.{kind}_window", result, *args, **CLOSE)
        close = {"ulps": 64, "of_largest": True}
        result = tf.signal.kaiser_window(length, 12.0, double)
        recorder.case(f"kaiser-{length}", "spectral.kaiser_window", result, length, 12.0, **close)
        if length % 2:
            continue
        result = tf.signal.kaiser_bessel_derived_window(length, 4.0, double)
        kernel = "spectral.kaiser_bessel_derived_window"
        recorder.case(f"derived-{length}", kernel, result, length, 4.0, **close)
        result = tf.signal.vorbis_window(length, double)
        recorder.case(f"vorbis-{length}", "spectral.vorbis_window", result, length, **close)
    for length, step in ((8, 4), (7, 3), (5, 5)):
        result = tf.signal.inverse_stft_window_fn(step)(length, double)
        window = tf.signal.hann_window(length, dtype=double)
        args = (window, step)
        recorder.case(f"inverse-{length}", "spectral.inverse_stft_window", result, *args, ulps=8)
    for options in ((20, 129, 8000, 125.0, 3800.0), (8, 33, 16000, 60.0, 7000.0)):
        result = tf.signal.linear_to_mel_weight_matrix(*options, dtype=double)
        # The edges come from single precision in TensorFlow.
        name = f"mel-{options[0]}"
        recorder.case(name, "spectral.mel_weights", result, *options, ulps=2**40, of_largest=True)
