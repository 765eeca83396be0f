"""`tf.compat.v1`: the names of TensorFlow 1 that programs still use.

Names that mean the same in TensorFlow 2 are here too: `tf.compat.v1.matmul` is `tf.matmul`.
"""

from typing import TYPE_CHECKING, Any

from graphwright.api import late_or_same
from graphwright.api.compat.v1 import (
    app,
    data,
    flags,
    graph_util,
    io,
    logging,
    losses,
    metrics,
    nn,
    saved_model,
    summary,
    train,
)
from graphwright.ir.default_session import get_default_session
from graphwright.library.config.compat import (
    enable_v2_behavior,
    executing_eagerly_outside_functions,
    placeholder,
    sparse_placeholder,
)
from graphwright.trace.scopes import executing_eagerly
from graphwright.types.dimension import Dimension

if TYPE_CHECKING:
    from graphwright.ops.random.seeds import get_seed
    from graphwright.portable.classic.classic_functions import (
        cond,
        constant,
        gradients,
        name_scope,
        placeholder_with_default,
        where,
        while_loop,
    )
    from graphwright.portable.classic.classic_functions import (
        variable as Variable,
    )
    from graphwright.portable.classic.default_graph import (
        InteractiveSession,
        disable_eager_execution,
        enable_eager_execution,
        get_default_graph,
        reset_default_graph,
    )
    from graphwright.portable.classic.fixed_initializers import (
        ConstantInitializer as constant_initializer,
    )
    from graphwright.portable.classic.fixed_initializers import (
        OnesInitializer as ones_initializer,
    )
    from graphwright.portable.classic.fixed_initializers import (
        ZerosInitializer as zeros_initializer,
    )
    from graphwright.portable.classic.former_behaviour import (
        control_flow_v2_enabled,
        disable_control_flow_v2,
        disable_resource_variables,
        disable_tensor_equality,
        disable_v2_behavior,
        disable_v2_tensorshape,
        enable_control_flow_v2,
        enable_resource_variables,
        enable_tensor_equality,
        enable_v2_tensorshape,
        resource_variables_enabled,
    )
    from graphwright.portable.classic.former_functions import (
        div,
        scatter_add,
        scatter_sub,
        scatter_update,
        string_split,
    )
    from graphwright.portable.classic.graph_collections import (
        GraphKeys,
        add_to_collection,
        add_to_collections,
        get_collection,
        get_collection_ref,
        global_variables,
        local_variables,
        trainable_variables,
    )
    from graphwright.portable.classic.initial_values import (
        assign,
        assign_add,
        assign_sub,
        count_up_to,
        global_variables_initializer,
        is_variable_initialized,
        local_variables_initializer,
        report_uninitialized_variables,
        tables_initializer,
        variables_initializer,
    )
    from graphwright.portable.classic.random_initializers import (
        GlorotNormal as glorot_normal_initializer,
    )
    from graphwright.portable.classic.random_initializers import (
        GlorotUniform as glorot_uniform_initializer,
    )
    from graphwright.portable.classic.random_initializers import (
        NormalInitializer as random_normal_initializer,
    )
    from graphwright.portable.classic.random_initializers import (
        TruncatedInitializer as truncated_normal_initializer,
    )
    from graphwright.portable.classic.random_initializers import (
        UniformInitializer as random_uniform_initializer,
    )
    from graphwright.portable.classic.random_initializers import (
        VarianceScaling as variance_scaling_initializer,
    )
    from graphwright.portable.classic.session_options import OptimizerOptions
    from graphwright.portable.classic.session_options import RunSettings as RunOptions
    from graphwright.portable.classic.session_options import SessionOptions as ConfigProto
    from graphwright.portable.classic.session_options import SessionOptions as GPUOptions
    from graphwright.portable.classic.session_options import SessionOptions as GraphOptions
    from graphwright.portable.classic.variable_scopes import (
        AUTO_REUSE,
        VariableScope,
        get_local_variable,
        get_variable,
        get_variable_scope,
        variable_scope,
    )
    from graphwright.portable.graphs.graph_import import (
        import_graph_def,
    )
    from graphwright.portable.graphs.session import (
        Session,
        SparseTensorValue,
    )
    from graphwright.portable.graphs.wrapped_function import (
        wrap_function,
    )
    from graphwright.proto.event_pb2 import (
        Event,
        HistogramProto,
        RunMetadata,
        Summary,
        SummaryMetadata,
    )
    from graphwright.proto.graph_pb2 import (
        AttrValue,
        GraphDef,
        NodeDef,
    )
    from graphwright.proto.saved_model_pb2 import MetaGraphDef

__all__ = [
    "AUTO_REUSE",
    "AttrValue",
    "ConfigProto",
    "Dimension",
    "Event",
    "GPUOptions",
    "GraphDef",
    "GraphKeys",
    "GraphOptions",
    "HistogramProto",
    "InteractiveSession",
    "MetaGraphDef",
    "NodeDef",
    "OptimizerOptions",
    "RunMetadata",
    "RunOptions",
    "Session",
    "SparseTensorValue",
    "Summary",
    "SummaryMetadata",
    "Variable",
    "VariableScope",
    "add_to_collection",
    "add_to_collections",
    "app",
    "assign",
    "assign_add",
    "assign_sub",
    "cond",
    "constant",
    "constant_initializer",
    "control_flow_v2_enabled",
    "count_up_to",
    "data",
    "disable_control_flow_v2",
    "disable_eager_execution",
    "disable_resource_variables",
    "disable_tensor_equality",
    "disable_v2_behavior",
    "disable_v2_tensorshape",
    "div",
    "enable_control_flow_v2",
    "enable_eager_execution",
    "enable_resource_variables",
    "enable_tensor_equality",
    "enable_v2_behavior",
    "enable_v2_tensorshape",
    "executing_eagerly",
    "executing_eagerly_outside_functions",
    "flags",
    "get_collection",
    "get_collection_ref",
    "get_default_graph",
    "get_default_session",
    "get_local_variable",
    "get_seed",
    "get_variable",
    "get_variable_scope",
    "global_variables",
    "global_variables_initializer",
    "glorot_normal_initializer",
    "glorot_uniform_initializer",
    "gradients",
    "graph_util",
    "import_graph_def",
    "io",
    "is_variable_initialized",
    "local_variables",
    "local_variables_initializer",
    "logging",
    "losses",
    "metrics",
    "name_scope",
    "nn",
    "ones_initializer",
    "placeholder",
    "placeholder_with_default",
    "random_normal_initializer",
    "random_uniform_initializer",
    "report_uninitialized_variables",
    "reset_default_graph",
    "resource_variables_enabled",
    "saved_model",
    "scatter_add",
    "scatter_sub",
    "scatter_update",
    "sparse_placeholder",
    "string_split",
    "summary",
    "tables_initializer",
    "train",
    "trainable_variables",
    "truncated_normal_initializer",
    "variable_scope",
    "variables_initializer",
    "variance_scaling_initializer",
    "where",
    "while_loop",
    "wrap_function",
    "zeros_initializer",
]

#: Where the names are that few programs need, and what each is there; some load protobuf.
_LATE: dict[str, dict[str, str]] = {
    "graphwright.portable.classic.classic_functions": {
        "Variable": "variable",
        "cond": "cond",
        "constant": "constant",
        "gradients": "gradients",
        "name_scope": "name_scope",
        "placeholder_with_default": "placeholder_with_default",
        "where": "where",
        "while_loop": "while_loop",
    },
    "graphwright.portable.classic.default_graph": {
        "InteractiveSession": "InteractiveSession",
        "disable_eager_execution": "disable_eager_execution",
        "enable_eager_execution": "enable_eager_execution",
        "get_default_graph": "get_default_graph",
        "reset_default_graph": "reset_default_graph",
    },
    "graphwright.ops.random.seeds": {
        "get_seed": "get_seed",
    },
    "graphwright.portable.classic.former_behaviour": {
        "control_flow_v2_enabled": "control_flow_v2_enabled",
        "disable_control_flow_v2": "disable_control_flow_v2",
        "disable_resource_variables": "disable_resource_variables",
        "disable_tensor_equality": "disable_tensor_equality",
        "disable_v2_behavior": "disable_v2_behavior",
        "disable_v2_tensorshape": "disable_v2_tensorshape",
        "enable_control_flow_v2": "enable_control_flow_v2",
        "enable_resource_variables": "enable_resource_variables",
        "enable_tensor_equality": "enable_tensor_equality",
        "enable_v2_tensorshape": "enable_v2_tensorshape",
        "resource_variables_enabled": "resource_variables_enabled",
    },
    "graphwright.portable.classic.former_functions": {
        "div": "div",
        "scatter_add": "scatter_add",
        "scatter_sub": "scatter_sub",
        "scatter_update": "scatter_update",
        "string_split": "string_split",
    },
    "graphwright.portable.classic.fixed_initializers": {
        "constant_initializer": "ConstantInitializer",
        "ones_initializer": "OnesInitializer",
        "zeros_initializer": "ZerosInitializer",
    },
    "graphwright.portable.classic.random_initializers": {
        "glorot_normal_initializer": "GlorotNormal",
        "glorot_uniform_initializer": "GlorotUniform",
        "random_normal_initializer": "NormalInitializer",
        "random_uniform_initializer": "UniformInitializer",
        "truncated_normal_initializer": "TruncatedInitializer",
        "variance_scaling_initializer": "VarianceScaling",
    },
    "graphwright.portable.classic.graph_collections": {
        "GraphKeys": "GraphKeys",
        "add_to_collection": "add_to_collection",
        "add_to_collections": "add_to_collections",
        "get_collection": "get_collection",
        "get_collection_ref": "get_collection_ref",
        "global_variables": "global_variables",
        "local_variables": "local_variables",
        "trainable_variables": "trainable_variables",
    },
    "graphwright.portable.classic.initial_values": {
        "assign": "assign",
        "assign_add": "assign_add",
        "assign_sub": "assign_sub",
        "count_up_to": "count_up_to",
        "global_variables_initializer": "global_variables_initializer",
        "is_variable_initialized": "is_variable_initialized",
        "local_variables_initializer": "local_variables_initializer",
        "report_uninitialized_variables": "report_uninitialized_variables",
        "tables_initializer": "tables_initializer",
        "variables_initializer": "variables_initializer",
    },
    "graphwright.portable.classic.variable_scopes": {
        "AUTO_REUSE": "AUTO_REUSE",
        "VariableScope": "VariableScope",
        "get_local_variable": "get_local_variable",
        "get_variable": "get_variable",
        "get_variable_scope": "get_variable_scope",
        "variable_scope": "variable_scope",
    },
    "graphwright.portable.graphs.graph_import": {
        "import_graph_def": "import_graph_def",
    },
    "graphwright.portable.classic.session_options": {
        "ConfigProto": "SessionOptions",
        "GPUOptions": "SessionOptions",
        "GraphOptions": "SessionOptions",
        "OptimizerOptions": "OptimizerOptions",
        "RunOptions": "RunSettings",
    },
    "graphwright.portable.graphs.session": {
        "SparseTensorValue": "SparseTensorValue",
        "Session": "Session",
    },
    "graphwright.portable.graphs.wrapped_function": {
        "wrap_function": "wrap_function",
    },
    "graphwright.proto.event_pb2": {
        "Event": "Event",
        "HistogramProto": "HistogramProto",
        "RunMetadata": "RunMetadata",
        "Summary": "Summary",
        "SummaryMetadata": "SummaryMetadata",
    },
    "graphwright.proto.saved_model_pb2": {
        "MetaGraphDef": "MetaGraphDef",
    },
    "graphwright.proto.graph_pb2": {
        "AttrValue": "AttrValue",
        "GraphDef": "GraphDef",
        "NodeDef": "NodeDef",
    },
}

__getattr__: Any = late_or_same(__name__, _LATE)
