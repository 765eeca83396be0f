from graphwright.api.compat import *  # noqa: F403
