from typing import Any

from graphwright.api.compat.v1 import *  # noqa: F403
from graphwright.api.compat.v1 import __all__ as __all__

def __getattr__(name: str) -> Any: ...
