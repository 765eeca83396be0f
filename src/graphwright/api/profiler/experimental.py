"""`tf.profiler.experimental`: takes profiles."""

from graphwright.library.summary.profiler import Profile, ProfilerOptions, Trace, start, stop

__all__ = ["Profile", "ProfilerOptions", "Trace", "start", "stop"]
