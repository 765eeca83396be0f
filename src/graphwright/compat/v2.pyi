from graphwright import *  # noqa: F403
from graphwright import __all__ as __all__
