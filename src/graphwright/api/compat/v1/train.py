"""`tf.compat.v1.train`: optimizers, savers and steps of programs of TensorFlow 1."""

from typing import TYPE_CHECKING, Any

from graphwright.api import late_or_same
from graphwright.library.summary.event_file import summary_iterator

if TYPE_CHECKING:
    from graphwright.portable.classic.former_functions import checkpoint_exists
    from graphwright.portable.classic.global_steps import (
        cosine_decay,
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
        AdadeltaOptimizer,
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
    from graphwright.portable.classic.training.checkpoint_values import init_from_checkpoint
    from graphwright.portable.classic.training.common_hooks import (
        CheckpointSaverHook,
        CheckpointSaverListener,
        FeedFnHook,
        FinalOpsHook,
        LoggingTensorHook,
        NanLossDuringTrainingError,
        NanTensorHook,
        SecondOrStepTimer,
        StepCounterHook,
        StopAtStepHook,
        SummarySaverHook,
    )
    from graphwright.portable.classic.training.monitored_session import (
        MonitoredSession,
        SingularMonitoredSession,
    )
    from graphwright.portable.classic.training.monitored_session import (
        monitored_training_session as MonitoredTrainingSession,
    )
    from graphwright.portable.classic.training.scaffold import (
        ChiefSessionCreator,
        Scaffold,
    )
    from graphwright.portable.classic.training.session_hooks import (
        SessionRunArgs,
        SessionRunContext,
        SessionRunHook,
        SessionRunValues,
    )
    from graphwright.portable.classic.training.thread_coordinator import (
        Coordinator,
        LooperThread,
        start_queue_runners,
    )

__all__ = [
    "AdadeltaOptimizer",
    "AdagradOptimizer",
    "AdamOptimizer",
    "CheckpointSaverHook",
    "CheckpointSaverListener",
    "ChiefSessionCreator",
    "Coordinator",
    "FeedFnHook",
    "FinalOpsHook",
    "GradientDescentOptimizer",
    "LoggingTensorHook",
    "LooperThread",
    "MomentumOptimizer",
    "MonitoredSession",
    "MonitoredTrainingSession",
    "NanLossDuringTrainingError",
    "NanTensorHook",
    "Optimizer",
    "RMSPropOptimizer",
    "Saver",
    "Scaffold",
    "SecondOrStepTimer",
    "SessionRunArgs",
    "SessionRunContext",
    "SessionRunHook",
    "SessionRunValues",
    "SingularMonitoredSession",
    "StepCounterHook",
    "StopAtStepHook",
    "SummarySaverHook",
    "checkpoint_exists",
    "cosine_decay",
    "create_global_step",
    "exponential_decay",
    "export_meta_graph",
    "get_global_step",
    "get_or_create_global_step",
    "global_step",
    "import_meta_graph",
    "init_from_checkpoint",
    "inverse_time_decay",
    "natural_exp_decay",
    "piecewise_constant",
    "piecewise_constant_decay",
    "polynomial_decay",
    "start_queue_runners",
    "summary_iterator",
]

#: Where the names are that few programs need, and what each is there.
_LATE: dict[str, dict[str, str]] = {
    "graphwright.portable.classic.former_functions": {"checkpoint_exists": "checkpoint_exists"},
    "graphwright.portable.classic.global_steps": {
        "cosine_decay": "cosine_decay",
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
        "AdadeltaOptimizer": "AdadeltaOptimizer",
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
    "graphwright.portable.classic.training.checkpoint_values": {
        "init_from_checkpoint": "init_from_checkpoint",
    },
    "graphwright.portable.classic.training.common_hooks": {
        "CheckpointSaverHook": "CheckpointSaverHook",
        "CheckpointSaverListener": "CheckpointSaverListener",
        "FeedFnHook": "FeedFnHook",
        "FinalOpsHook": "FinalOpsHook",
        "LoggingTensorHook": "LoggingTensorHook",
        "NanLossDuringTrainingError": "NanLossDuringTrainingError",
        "NanTensorHook": "NanTensorHook",
        "SecondOrStepTimer": "SecondOrStepTimer",
        "StepCounterHook": "StepCounterHook",
        "StopAtStepHook": "StopAtStepHook",
        "SummarySaverHook": "SummarySaverHook",
    },
    "graphwright.portable.classic.training.monitored_session": {
        "MonitoredSession": "MonitoredSession",
        "MonitoredTrainingSession": "monitored_training_session",
        "SingularMonitoredSession": "SingularMonitoredSession",
    },
    "graphwright.portable.classic.training.scaffold": {
        "ChiefSessionCreator": "ChiefSessionCreator",
        "Scaffold": "Scaffold",
    },
    "graphwright.portable.classic.training.session_hooks": {
        "SessionRunArgs": "SessionRunArgs",
        "SessionRunContext": "SessionRunContext",
        "SessionRunHook": "SessionRunHook",
        "SessionRunValues": "SessionRunValues",
    },
    "graphwright.portable.classic.training.thread_coordinator": {
        "Coordinator": "Coordinator",
        "LooperThread": "LooperThread",
        "start_queue_runners": "start_queue_runners",
    },
}

__getattr__: Any = late_or_same(__name__, _LATE)
