"""Public names of TensorFlow that are not here: why, and what to use in their place.

The errors for such names and the list at the end of docs/api.md come from this table.
"""

from __future__ import annotations

import functools
import re
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from graphwright.op.refusal import FormerPlaces


class Absence(NamedTuple):
    """Names that are absent for one reason."""

    names: str  # with their namespaces, apart from each other by white space
    why: str  # a sentence about them
    instead: str  # what to use: a sentence


ABSENT = (
    Absence(
        "initializers losses metrics",
        "It is Keras's, which is a package of its own and runs on this one.",
        "`pip install keras`, and use that of `tf.keras`.",
    ),
    Absence(
        "nn.RNNCellDeviceWrapper nn.RNNCellDropoutWrapper nn.RNNCellResidualWrapper",
        "Cells of recurrent networks are Keras's, which is a package of its own.",
        "Use `keras.layers.RNN`, with a cell that has `dropout`.",
    ),
    Absence(
        """feature_column.bucketized_column feature_column.categorical_column_with_hash_bucket
        feature_column.categorical_column_with_identity
        feature_column.categorical_column_with_vocabulary_file
        feature_column.categorical_column_with_vocabulary_list feature_column.crossed_column
        feature_column.embedding_column feature_column.indicator_column
        feature_column.make_parse_example_spec feature_column.numeric_column
        feature_column.sequence_categorical_column_with_hash_bucket
        feature_column.sequence_categorical_column_with_identity
        feature_column.sequence_categorical_column_with_vocabulary_file
        feature_column.sequence_categorical_column_with_vocabulary_list
        feature_column.sequence_numeric_column feature_column.shared_embeddings
        feature_column.weighted_categorical_column""",
        "TensorFlow keeps columns of features for old programs alone.",
        "Use Keras's preprocessing layers, as `keras.layers.StringLookup` and `Discretization`.",
    ),
    Absence(
        """data.experimental.distributed_save data.experimental.service.CrossTrainerCache
        data.experimental.service.DispatchServer data.experimental.service.DispatcherConfig
        data.experimental.service.ShardingPolicy data.experimental.service.WorkerConfig
        data.experimental.service.WorkerServer data.experimental.service.distribute
        data.experimental.service.from_dataset_id data.experimental.service.register_dataset""",
        "Elements are made in the process that takes them.",
        "Use `dataset.shard` to divide them, and `dataset.save` to write them.",
    ),
    Absence(
        "data.experimental.get_model_proto",
        "Pipelines have no model of TensorFlow's.",
        "Use `dataset.explain()`, which says what each stage does and costs.",
    ),
    Absence(
        "data.experimental.make_saveable_from_iterator",
        "It is for sessions of TensorFlow 1.",
        "Use `tf.train.Checkpoint(iterator=iterator)`, which saves where an iterator is.",
    ),
    Absence(
        """queue.FIFOQueue queue.PaddingFIFOQueue queue.PriorityQueue queue.QueueBase
        queue.RandomShuffleQueue""",
        "Queues of TensorFlow 1 are not here.",
        "Use `tf.data.Dataset`, with `prefetch`, `padded_batch` and `shuffle`, or `queue.Queue`.",
    ),
    Absence(
        """saved_model.experimental.Fingerprint saved_model.experimental.TrackableResource
        saved_model.experimental.read_fingerprint""",
        "Saved models have fingerprints, but no functions read them.",
        "Use `graphwright show MODEL` to see what is in a model.",
    ),
    Absence(
        "saved_model.experimental.VariablePolicy",
        "A saved model has one variable for the copies of all replicas, and names no devices.",
        "Leave `experimental_variable_policy` out.",
    ),
    Absence(
        """train.CheckpointView train.experimental.MaxShardSizePolicy
        train.experimental.PythonState train.experimental.ShardByTaskPolicy
        train.experimental.ShardableTensor train.experimental.ShardingCallback""",
        "Checkpoints are written in one piece, and have no views.",
        "Use `tf.train.Checkpoint` and `tf.train.load_checkpoint`.",
    ),
    Absence(
        "train.Coordinator",
        "It is for programs of TensorFlow 1.",
        "Use `tf.compat.v1.train.Coordinator`, or `threading.Event`.",
    ),
    Absence(
        """config.experimental.ClusterDeviceFilters config.experimental_connect_to_cluster
        config.experimental_connect_to_host distribute.Server
        distribute.coordinator.ClusterCoordinator distribute.coordinator.PerWorkerValue
        distribute.coordinator.RemoteValue
        distribute.coordinator.experimental_get_current_worker_index
        distribute.experimental.ParameterServerStrategy
        distribute.experimental.coordinator.ClusterCoordinator
        distribute.experimental.coordinator.PerWorkerValues
        distribute.experimental.coordinator.RemoteValue
        distribute.experimental.partitioners.FixedShardsPartitioner
        distribute.experimental.partitioners.MaxSizePartitioner
        distribute.experimental.partitioners.MinSizePartitioner
        distribute.experimental.partitioners.Partitioner distribute.experimental.rpc.Client
        distribute.experimental.rpc.Server experimental.async_clear_error
        experimental.async_scope experimental.function_executor_type
        profiler.experimental.client.monitor profiler.experimental.client.trace
        profiler.experimental.server.start test.create_local_cluster
        test.experimental.sync_devices train.ClusterDef train.JobDef train.ServerDef""",
        "No server runs ops for other processes: MPI starts and joins those of a program.",
        "Use `tf.distribute.MultiWorkerMirroredStrategy`, and start it by `graphwright launch`.",
    ),
    Absence(
        """distribute.cluster_resolver.GCEClusterResolver
        distribute.cluster_resolver.KubernetesClusterResolver
        distribute.cluster_resolver.KubernetesExecutableLocation
        distribute.cluster_resolver.SlurmClusterResolver
        distribute.cluster_resolver.TPUClusterResolver distribute.cluster_resolver.UnionResolver""",
        "Nobody asks a scheduler or a cloud which machines there are: MPI knows its processes.",
        "Leave the resolver out, or use `tf.distribute.cluster_resolver.TFConfigClusterResolver`.",
    ),
    Absence(
        "distribute.experimental.CentralStorageStrategy",
        "All devices are in one memory.",
        "Use `tf.distribute.MirroredStrategy`.",
    ),
    Absence(
        "distribute.experimental.CollectiveHints",
        "TensorFlow keeps it for old programs alone.",
        "Use `tf.distribute.experimental.CommunicationOptions`.",
    ),
    Absence(
        "distribute.experimental.MultiWorkerMirroredStrategy",
        "TensorFlow keeps it for old programs alone.",
        "Use `tf.distribute.MultiWorkerMirroredStrategy`.",
    ),
    Absence(
        """distribute.experimental.PreemptionCheckpointHandler
        distribute.experimental.PreemptionWatcher distribute.experimental.TerminationConfig""",
        "Nothing says to the process that its machine will be taken away.",
        "Use `tf.train.CheckpointManager`, and save every so many steps.",
    ),
    Absence(
        """experimental.dtensor.create_tpu_mesh experimental.dtensor.full_job_name
        experimental.dtensor.heartbeat_enabled experimental.dtensor.initialize_multi_client
        experimental.dtensor.initialize_tpu_system experimental.dtensor.job_name
        experimental.dtensor.jobs experimental.dtensor.shutdown_accelerator_system
        experimental.dtensor.shutdown_tpu_system""",
        "A mesh has logical devices of one process, or a device in each process of MPI.",
        "Use `tf.experimental.dtensor.create_mesh` or `create_distributed_mesh`.",
    ),
    Absence(
        """experimental.dtensor.DTensorCheckpoint experimental.dtensor.DTensorDataset
        experimental.dtensor.enable_save_as_bf16 experimental.dtensor.name_based_restore
        experimental.dtensor.name_based_save experimental.dtensor.preferred_device_type
        experimental.dtensor.run_on experimental.dtensor.sharded_save""",
        "Checkpoints and datasets have whole values.",
        "Use `tf.train.Checkpoint` and `tf.data.Dataset` for divided tensors too.",
    ),
    Absence(
        """distribute.experimental.TPUStrategy tpu.XLAOptions tpu.experimental.DeviceAssignment
        tpu.experimental.DeviceOrderMode tpu.experimental.HardwareFeature
        tpu.experimental.TPUSystemMetadata tpu.experimental.Topology
        tpu.experimental.embedding.Adagrad tpu.experimental.embedding.AdagradMomentum
        tpu.experimental.embedding.Adam tpu.experimental.embedding.CustomCombiner
        tpu.experimental.embedding.CustomOptimizer tpu.experimental.embedding.FTRL
        tpu.experimental.embedding.FeatureConfig tpu.experimental.embedding.QuantizationConfig
        tpu.experimental.embedding.RowIdInitializer tpu.experimental.embedding.SGD
        tpu.experimental.embedding.SparseCoreEmbeddingConfig
        tpu.experimental.embedding.TPUEmbedding
        tpu.experimental.embedding.TPUEmbeddingForServing
        tpu.experimental.embedding.TPUEmbeddingV0 tpu.experimental.embedding.TPUEmbeddingV2
        tpu.experimental.embedding.TableConfig
        tpu.experimental.embedding.serving_embedding_lookup
        tpu.experimental.initialize_tpu_system tpu.experimental.shutdown_tpu_system""",
        "graphwright runs on CPUs alone.",
        "Run programs for TPUs on TensorFlow or JAX.",
    ),
    Absence(
        """config.experimental.disable_mlir_bridge config.experimental.enable_mlir_bridge
        mlir.experimental.convert_function mlir.experimental.convert_graph_def
        mlir.experimental.convert_saved_model mlir.experimental.convert_saved_model_v1
        mlir.experimental.run_pass_pipeline mlir.experimental.tflite_to_tosa_bytecode
        mlir.experimental.write_bytecode xla.experimental.compile xla.experimental.jit_scope""",
        "The compiler is neither MLIR nor XLA.",
        "Use `tf.function(jit_compile=True)`; `experimental_get_compiler_ir` shows its stages.",
    ),
    Absence(
        """config.experimental.enable_tensor_float_32_execution
        config.experimental.tensor_float_32_execution_enabled
        config.experimental.get_device_policy config.experimental.set_device_policy
        config.experimental.get_memory_info config.experimental.get_memory_usage
        config.experimental.reset_memory_stats""",
        "It is about GPUs, and graphwright runs on CPUs alone.",
        "Leave it out.",
    ),
    Absence(
        """debugging.experimental.disable_dump_debug_info
        debugging.experimental.enable_dump_debug_info""",
        "It writes files for a debugger of TensorFlow's.",
        "Use `tf.debugging.enable_check_numerics()`, `tf.print`, or "
        "`tf.config.run_functions_eagerly(True)` with Python's debugger.",
    ),
    Absence(
        "experimental.enable_strict_mode",
        "It makes errors of what TensorFlow deprecates.",
        "Use `graphwright lint`, which finds what will go wrong.",
    ),
    Absence(
        "experimental.register_filesystem_plugin load_library load_op_library",
        "Libraries that are written for TensorFlow's C++ cannot be loaded.",
        "Write ops in Python with `tf.custom_gradient` or `tf.numpy_function`, and use paths of "
        "fsspec for files elsewhere.",
    ),
    Absence(
        """sysconfig.CXX11_ABI_FLAG sysconfig.CXX_VERSION sysconfig.MONOLITHIC_BUILD
        sysconfig.get_compile_flags sysconfig.get_include sysconfig.get_lib
        sysconfig.get_link_flags version.COMPILER_VERSION version.GIT_VERSION
        version.GRAPH_DEF_VERSION version.GRAPH_DEF_VERSION_MIN_CONSUMER
        version.GRAPH_DEF_VERSION_MIN_PRODUCER""",
        "It says how TensorFlow's C++ was built, and graphwright has none.",
        "Use `tf.version.VERSION`.",
    ),
    Absence(
        """test.Benchmark test.benchmark_config test.is_cpu_target_available
        test.with_eager_op_as_function""",
        "It is for TensorFlow's own tests.",
        "Use `tf.test.TestCase` and pytest.",
    ),
    Absence(
        """experimental.tensorrt.ConversionParams experimental.tensorrt.Converter lite.Interpreter
        lite.OpsSet lite.Optimize lite.RepresentativeDataset lite.TFLiteConverter
        lite.TargetSpec lite.experimental.Analyzer lite.experimental.OpResolverType
        lite.experimental.QuantizationDebugOptions lite.experimental.QuantizationDebugger
        lite.experimental.authoring.compatible lite.experimental.load_delegate
        quantization.experimental.QuantizationComponentSpec
        quantization.experimental.QuantizationMethod
        quantization.experimental.QuantizationOptions
        quantization.experimental.TfRecordRepresentativeDatasetSaver
        quantization.experimental.UnitWiseQuantizationSpec
        quantization.experimental.quantize_saved_model""",
        "It is for models that other runtimes run.",
        "Use `tf.saved_model.save`, and give TensorFlow's converter the folder.",
    ),
    Absence(
        "experimental.StructuredTensor",
        "Structures of ragged rows are not here.",
        "Use a dict of `tf.RaggedTensor`, or a class of `tf.experimental.ExtensionType`.",
    ),
    Absence(
        "image.decode_jxl io.decode_jxl",
        "No package that graphwright depends on decodes JPEG XL.",
        "Convert the files to PNG or JPEG, and use `tf.io.decode_image`.",
    ),
    Absence("approx_top_k", "It is a raw op.", "Use `tf.math.approx_max_k`."),
    Absence(
        "conv conv2d_backprop_filter_v2 conv2d_backprop_input_v2",
        "It is a raw op.",
        "Use `tf.nn.convolution`, whose gradient tapes know, and `tf.nn.conv_transpose`.",
    ),
    Absence("fftnd ifftnd irfftnd rfftnd", "It is a raw op.", "Use that of `tf.signal`."),
    Absence(
        "check_pinned image.generate_bounding_box_proposals nondifferentiable_batch_function",
        "TensorFlow itself has no kernel of it for CPUs, or serves other programs with it.",
        "Leave it out.",
    ),
)

#: Names that TensorFlow 1 had at the top and TensorFlow 2 has not, and what to use.
FORMER = {
    "AUTO_REUSE get_variable get_variable_scope variable_scope variable_op_scope": (
        "Make each `tf.Variable` once, as an attribute of a `tf.Module`."
    ),
    "ConfigProto GPUOptions OptimizerOptions": "Use the functions of `tf.config`.",
    "GraphKeys add_to_collection get_collection trainable_variables global_variables "
    "local_variables": "A `tf.Module` lists its variables itself: `module.trainable_variables`.",
    "InteractiveSession Session get_default_session": (
        "Call functions with tensors. `@tf.function` makes a graph of one."
    ),
    "all_variables initialize_all_variables global_variables_initializer initialize_variables "
    "local_variables_initializer variables_initializer tables_initializer": (
        "Leave it out: variables and tables have their values when they are made."
    ),
    "app": "Use `absl.app`, or `if __name__ == '__main__':`.",
    "assign": "Use `variable.assign(value)`.",
    "assign_add": "Use `variable.assign_add(value)`.",
    "assign_sub": "Use `variable.assign_sub(value)`.",
    "contrib": "Use Keras's layers, or the package that took the part that you need.",
    "count_nonzero ceil": "Use that of `tf.math`.",
    "disable_eager_execution enable_eager_execution disable_v2_behavior enable_v2_behavior "
    "enable_resource_variables": (
        "Leave it out: ops run at once, unless `@tf.function` stages them."
    ),
    "estimator": "Use Keras, or a loop of your own with `tf.GradientTape`.",
    "flags": "Use `absl.flags` or `argparse`.",
    "gfile": "Use `tf.io.gfile`.",
    "layers": "Use `keras.layers`.",
    "logging": "Use Python's `logging`; the logger's name is \"tensorflow\".",
    "placeholder placeholder_with_default sparse_placeholder": (
        "Make it a parameter of a `@tf.function`; `input_signature` states its type."
    ),
    "py_func": "Use `tf.numpy_function` or `tf.py_function`.",
    "random_normal": "Use `tf.random.normal`.",
    "random_shuffle": "Use `tf.random.shuffle`.",
    "random_uniform": "Use `tf.random.uniform`.",
    "multinomial": "Use `tf.random.categorical`.",
    "reset_default_graph get_default_graph": (
        "Leave it out: each `@tf.function` has its own graphs."
    ),
    "set_random_seed": "Use `tf.random.set_seed`.",
    "to_bfloat16 to_complex128 to_complex64 to_double to_float to_int32 to_int64": (
        "Use `tf.cast(x, dtype)`."
    ),
    "truncated_normal": "Use `tf.random.truncated_normal`.",
}

#: Names of `tf.compat.v1` that are not here, and what to use.
CLASSIC = {
    "layers nn.rnn_cell nn.dynamic_rnn nn.bidirectional_dynamic_rnn nn.static_rnn "
    "nn.static_bidirectional_rnn nn.static_state_saving_rnn nn.raw_rnn": (
        "TensorFlow has it with Keras 2 alone. Use `keras.layers`, or `tf.compat.v1.get_variable` "
        "and `tf.compat.v1.while_loop`."
    ),
    "train.Supervisor train.SessionManager train.basic_train_loop train.WorkerSessionCreator "
    "train.GlobalStepWaiterHook": "Use `tf.compat.v1.train.MonitoredTrainingSession`.",
    "train.ProfilerHook": "Use `tf.profiler.experimental.start`, or `tf.explain`.",
    "train.Server train.ServerDef train.ClusterDef train.JobDef train.replica_device_setter "
    "train.SyncReplicasOptimizer": (
        "No server runs ops for other processes. Use `tf.distribute.MultiWorkerMirroredStrategy`."
    ),
    "FIFOQueue PaddingFIFOQueue PriorityQueue QueueBase RandomShuffleQueue train.QueueRunner "
    "train.add_queue_runner train.queue_runner train.batch train.batch_join train.maybe_batch "
    "train.maybe_batch_join train.maybe_shuffle_batch train.maybe_shuffle_batch_join "
    "train.shuffle_batch train.shuffle_batch_join train.input_producer train.limit_epochs "
    "train.range_input_producer train.slice_input_producer train.string_input_producer "
    "TFRecordReader TextLineReader WholeFileReader FixedLengthRecordReader IdentityReader "
    "ReaderBase LMDBReader": (
        "Use `tf.data.Dataset` and `tf.compat.v1.data.make_one_shot_iterator`."
    ),
    "train.FtrlOptimizer train.AdagradDAOptimizer train.ProximalAdagradOptimizer "
    "train.ProximalGradientDescentOptimizer": "Use `tf.compat.v1.train.AdagradOptimizer`.",
    "train.cosine_decay_restarts train.linear_cosine_decay train.noisy_linear_cosine_decay": (
        "Use `tf.compat.v1.train.cosine_decay`."
    ),
    "metrics.average_precision_at_k metrics.false_negatives_at_thresholds "
    "metrics.false_positives_at_thresholds metrics.mean_cosine_distance "
    "metrics.mean_relative_error metrics.mean_tensor metrics.percentage_below "
    "metrics.precision_at_k metrics.precision_at_top_k metrics.recall_at_k "
    "metrics.recall_at_top_k metrics.sensitivity_at_specificity "
    "metrics.sparse_average_precision_at_k metrics.sparse_precision_at_k "
    "metrics.specificity_at_sensitivity metrics.true_negatives_at_thresholds "
    "metrics.true_positives_at_thresholds": (
        "Compute it of each batch, and use `tf.compat.v1.metrics.mean`; or use `keras.metrics`."
    ),
    "make_template": (
        "Use `tf.compat.v1.variable_scope` with `reuse=tf.compat.v1.AUTO_REUSE`."
    ),
    "create_partitioned_variables fixed_size_partitioner min_max_variable_partitioner "
    "variable_axis_size_partitioner": (
        "A variable has its whole value. Use `tf.compat.v1.get_variable` without a partitioner."
    ),
    "no_regularizer": "Use a function that returns None.",
    "initializers.he_normal initializers.he_uniform initializers.lecun_normal "
    "initializers.lecun_uniform": "Use `tf.compat.v1.variance_scaling_initializer`.",
    "initializers.identity initializers.orthogonal initializers.uniform_unit_scaling "
    "orthogonal_initializer uniform_unit_scaling_initializer": (
        "Give `tf.compat.v1.get_variable` an array as its initializer."
    ),
    "ConditionalAccumulator ConditionalAccumulatorBase SparseConditionalAccumulator": (
        "Use a variable, and `tf.compat.v1.assign_add`."
    ),
    "delete_session_tensor get_session_handle get_session_tensor": (
        "Use `tf.compat.v1.Session.run` to fetch the value, and feed it."
    ),
    "assert_variables_initialized": "Use `tf.compat.v1.report_uninitialized_variables`.",
    "add_check_numerics_ops": "Use `tf.debugging.check_numerics`.",
    "load_file_system_library load_library load_op_library": (
        "Operations of other libraries do not run here. Use `tf.numpy_function`."
    ),
    "sparse.merge sparse_merge": "Join the indices, and make a `tf.SparseTensor`.",
    "train.VocabInfo train.warm_start": "Use `tf.compat.v1.train.init_from_checkpoint`.",
    "train.generate_checkpoint_state_proto train.get_checkpoint_mtimes train.remove_checkpoint "
    "train.update_checkpoint_state": "Use `tf.train.CheckpointManager`.",
    "train.sdca_fprint train.sdca_optimizer train.sdca_shrink_l1": (
        "Use `tf.compat.v1.train.GradientDescentOptimizer`."
    ),
    "train.match_filenames_once": "Use `tf.io.gfile.glob`.",
    "distributions": "Use `tf.random` for samples, and write densities with `tf.math`.",
    "distribute": "Use `tf.distribute`.",
    "feature_column": "Use Keras's preprocessing layers, as `keras.layers.StringLookup`.",
    "lite": "Use `tf.onnx.export` or `tf.compile_library`.",
    "mlir": "Use `tf.stablehlo.export`.",
    "mixed_precision": "Use `keras.mixed_precision`.",
    "tpu": "There are no TPUs. Use `tf.distribute`.",
    "xla": "Use `tf.function(jit_compile=True)`.",
}

#: How alike two names are for one to be meant by the other.
_NEAR = 0.85
#: Namespaces that few programs mean.
_ASIDE = frozenset({"__internal__", "compat", "experimental", "raw_ops"})


def absence(path: str) -> str | None:
    """Why a public name or namespace of TensorFlow is not here; None for what TensorFlow lacks.

    The path has no `tf` in front.
    """
    title = f"graphwright has no tf.{path}"
    for names, why, instead in ABSENT:
        if any(name == path or name.startswith(f"{path}.") for name in names.split()):
            return f"{title}. {why} {instead}"
    for old, instead in FORMER.items():
        if path in old.split():
            return f"{title}, which is of TensorFlow 1. {instead}"
    for old, instead in CLASSIC.items():
        if path.startswith("compat.v1.") and path.removeprefix("compat.v1.") in old.split():
            return f"{title}. {instead}"
    today = FormerPlaces.today(path)
    return today and f"{title}, which is of TensorFlow 1. Use `tf.{today}`."


def near_name(path: str, offered: Iterable[str]) -> str:
    """A question about the name that a path may mean; empty where none is near.

    It is that name in another namespace, or one of those that its own namespace offers.
    """
    from difflib import get_close_matches

    place, dot, name = path.rpartition(".")
    if name.startswith("_"):
        return ""
    meant = places().get(name)
    if meant is None:
        near = get_close_matches(name, list(offered), 1, _NEAR)
        meant = [f"{place}{dot}{each}" for each in near]
    words = " or ".join([f"`tf.{each}`" for each in meant])
    return f". Did you mean {words}?" if words else ""


@functools.cache
def places() -> dict[str, list[str]]:
    """For each public name the shortest paths to it.

    The files of namespaces say it, so none of them is imported. Names of NumPy's, of TensorFlow 1
    and of raw ops stay aside: they mean other functions.
    """
    folder = Path(__file__).parents[2] / "api"
    paths = {(name, name) for name in dir(sys.modules["graphwright"])}
    for file in folder.rglob("*.py"):
        parts = file.relative_to(folder).with_suffix("").parts
        namespace = [part for part in parts if part != "__init__"]
        if namespace and _ASIDE.isdisjoint(namespace):
            listed = file.read_text(encoding="utf-8").partition("\n__all__ = ")[2]
            listed = re.split(r"[)\]]", listed, maxsplit=1)[0]
            names = re.findall(r'"(\w+)"', listed)
            paths |= {(name, ".".join([*namespace, name])) for name in names}
    shortest: dict[str, list[str]] = {}
    for name, path in sorted(paths, key=lambda pair: (pair[1].count("."), pair[1])):
        others = shortest.setdefault(name, [])
        if not others or others[0].count(".") == path.count("."):
            others.append(path)
    return shortest
