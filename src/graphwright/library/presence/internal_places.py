"""Modules of TensorFlow that are not public, but that libraries import: the names that they need.

A value is "module:name", or the path of a public name. A name that no library needs is not here.
"""

from __future__ import annotations

_HERE = "graphwright.library.presence.internal_names"

PLACES: dict[str, dict[str, str]] = {
    "compiler.tf2xla.python.xla": {"dynamic_update_slice": f"{_HERE}:dynamic_update_slice"},
    "core.util.event_pb2": {"Event": "graphwright.proto.event_pb2:Event"},
    "python.client.device_lib": {"list_local_devices": f"{_HERE}:list_local_devices"},
    "python.data.experimental.ops.distribute": {
        "compute_batch_size": "graphwright.data.stages.batch_sizes:compute_batch_size",
    },
    "python.data.ops.dataset_ops": {"DatasetV2": "data.Dataset"},
    "python.distribute.input_lib": {"DistributedDataset": "distribute.DistributedDataset"},
    "python.eager.context": {
        "_reset_context": f"{_HERE}:_reset_context",
        "async_wait": f"{_HERE}:async_wait",
        "context": f"{_HERE}:context",
        "executing_eagerly": "executing_eagerly",
    },
    "python.framework.config": {
        "disable_op_determinism": f"{_HERE}:disable_op_determinism",
        "enable_op_determinism": "config.experimental.enable_op_determinism",
        "is_op_determinism_enabled": f"{_HERE}:is_op_determinism_enabled",
    },
    "python.framework.convert_to_constants": {
        "convert_variables_to_constants_v2": (
            "graphwright.portable.classic.freezing:convert_variables_to_constants_v2"
        ),
    },
    "python.framework.sparse_tensor": {"SparseTensor": "SparseTensor"},
    "python.framework.tensor": {"Tensor": "Tensor"},
    "python.framework.type_spec_registry": {
        "get_name": "graphwright.library.presence.spec_names:get_name",
        "lookup": "graphwright.library.presence.spec_names:lookup",
    },
    "python.lib.io.tf_record": {"tf_record_iterator": "compat.v1.io.tf_record_iterator"},
    "python.ops.linalg.sparse.sparse_csr_matrix_ops": {
        name: f"graphwright.library.presence.compressed_rows:{name}"
        for name in (
            "csr_sparse_matrix_to_sparse_tensor",
            "sparse_matrix_sparse_mat_mul",
            "sparse_tensor_to_csr_sparse_matrix",
        )
    },
    "python.ops.math_ops": {"is_nan": "math.is_nan"},
    "python.ops.ragged.ragged_tensor": {"RaggedTensor": "RaggedTensor"},
    "python.trackable.data_structures": {
        "ListWrapper": "graphwright.library.checkpoint.tracked_containers:ListWrapper",
        "_DictWrapper": "graphwright.library.checkpoint.tracked_containers:DictWrapper",
    },
    "saved_model.experimental": {
        "TrackableResource": "graphwright.library.lookup.lookup:TrackableResource",
    },
}
