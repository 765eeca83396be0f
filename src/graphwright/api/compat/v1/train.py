"""`tf.compat.v1.train`: optimizers, savers and steps of programs of TensorFlow 1."""

from typing import TYPE_CHECKING, Any

from graphwright.api import late_or_same
from graphwright.library.summary.event_file import summary_iterator

if TYPE_CHECKING:
    from graphwright.portable.classic.former_functions import checkpoint_exists
    from graphwright.portable.classic.global_steps import (
        create_global_step,
        exponential_decay,
        get_global_step,
        get_or_create_global_step,
        global_step,
        inverse_time_decay,
        natural_exp_decay,
        piecewise_constant,
        polynomial_decay,
    )
    from graphwright.portable.classic.global_steps import (
        piecewise_constant as piecewise_constant_decay,
    )
    from graphwright.portable.classic.gradient_optimizers import (
        AdagradOptimizer,
        AdamOptimizer,
        GradientDescentOptimizer,
        MomentumOptimizer,
        RMSPropOptimizer,
    )
    from graphwright.portable.classic.gradient_optimizers import (
        ClassicOptimizer as Optimizer,
    )
    from graphwright.portable.classic.meta_graphs import export_meta_graph, import_meta_graph
    from graphwright.portable.classic.saver import (
        Saver,
    )

__all__ = [
    "AdagradOptimizer",
    "AdamOptimizer",
    "GradientDescentOptimizer",
    "MomentumOptimizer",
    "Optimizer",
    "RMSPropOptimizer",
    "Saver",
    "checkpoint_exists",
    "create_global_step",
    "exponential_decay",
    "export_meta_graph",
    "get_global_step",
    "get_or_create_global_step",
    "global_step",
    "import_meta_graph",
    "inverse_time_decay",
    "natural_exp_decay",
    "piecewise_constant",
    "piecewise_constant_decay",
    "polynomial_decay",
    "summary_iterator",
]

#: Where the names are that few programs need, and what each is there.
_LATE: dict[str, dict[str, str]] = {
    "graphwright.portable.classic.former_functions": {"checkpoint_exists": "checkpoint_exists"},
    "graphwright.portable.classic.global_steps": {
        "create_global_step": "create_global_step",
        "exponential_decay": "exponential_decay",
        "get_global_step": "get_global_step",
        "get_or_create_global_step": "get_or_create_global_step",
        "global_step": "global_step",
        "inverse_time_decay": "inverse_time_decay",
        "natural_exp_decay": "natural_exp_decay",
        "piecewise_constant": "piecewise_constant",
        "piecewise_constant_decay": "piecewise_constant",
        "polynomial_decay": "polynomial_decay",
    },
    "graphwright.portable.classic.gradient_optimizers": {
        "AdagradOptimizer": "AdagradOptimizer",
        "AdamOptimizer": "AdamOptimizer",
        "GradientDescentOptimizer": "GradientDescentOptimizer",
        "MomentumOptimizer": "MomentumOptimizer",
        "Optimizer": "ClassicOptimizer",
        "RMSPropOptimizer": "RMSPropOptimizer",
    },
    "graphwright.portable.classic.meta_graphs": {
        "export_meta_graph": "export_meta_graph",
        "import_meta_graph": "import_meta_graph",
    },
    "graphwright.portable.classic.saver": {
        "Saver": "Saver",
    },
}

__getattr__: Any = late_or_same(__name__, _LATE)
