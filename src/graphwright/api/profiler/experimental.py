"""`tf.profiler.experimental`: starts, stops and annotates profiles."""

from graphwright.library.summary.profiler import Profile, ProfilerOptions, Trace, start, stop

__all__ = ["Profile", "ProfilerOptions", "Trace", "start", "stop"]
