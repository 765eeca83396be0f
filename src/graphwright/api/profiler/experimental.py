"""`tf.profiler.experimental`: takes profiles."""

from graphwright.edge.profiler import Profile, ProfilerOptions, Trace, start, stop

__all__ = ["Profile", "ProfilerOptions", "Trace", "start", "stop"]
