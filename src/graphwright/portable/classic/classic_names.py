"""The names of TensorFlow 1 that mean what a name of TensorFlow 2 means.

The tables are facts about TensorFlow 2.21. A name is the same function under the same path or under
another one, or it takes arguments by earlier names too.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable
from types import ModuleType
from typing import Any

from graphwright.portable.classic.former_namespaces import FORMER, former, unknown
from graphwright.portable.classic.former_signatures import at, signatures, with_former_signature

#: Names, by the path of their namespace, that are the same.
SAME = {
    "": """
    AggregationMethod Assert CriticalSection DType DeviceSpec GradientTape Graph IndexedSlices
    IndexedSlicesSpec Module NoneTensorSpec Operation OptionalSpec RaggedTensor RaggedTensorSpec
    RegisterGradient SparseTensor SparseTensorSpec Tensor TensorArray TensorArraySpec
    TensorShape TensorSpec TypeSpec UnconnectedGradients VariableAggregation
    VariableSynchronization abs acos acosh add add_n argsort as_dtype
    as_string asin asinh atan atan2 atanh bfloat16 bitcast bool broadcast_dynamic_shape
    broadcast_static_shape broadcast_to cast clip_by_global_norm clip_by_norm clip_by_value
    complex complex128 complex64 concat control_dependencies cos cosh cumsum custom_gradient
    divide double dynamic_partition dynamic_stitch edit_distance einsum ensure_shape
    equal errors exp extract_volume_patches eye fill fingerprint float16 float32 float64 floor
    foldl foldr function get_logger get_static_value grad_pass_through greater greater_equal
    group guarantee_const half histogram_fixed_width histogram_fixed_width_bins identity
    identity_n import_graph_def init_scope int16 int32 int64 int8 is_symbolic_tensor is_tensor
    less less_equal linspace logical_and logical_not logical_or make_ndarray make_tensor_proto
    map_fn matmul matrix_square_root maximum meshgrid minimum multiply negative newaxis
    no_gradient no_op not_equal numpy_function one_hot ones parallel_stack pow
    print py_function qint16 qint32 qint8 quint16 quint8 ragged_fill_empty_rows
    ragged_fill_empty_rows_grad random_index_shuffle range rank realdiv recompute_grad
    register_tensor_conversion_function repeat required_space_to_batch_paddings reshape resource
    reverse roll round saturate_cast scalar_mul scan scatter_nd searchsorted sequence_mask
    shape_n sigmoid sign sin sinh slice sort space_to_batch_nd split sqrt square stack
    stop_gradient strided_slice string subtract switch_case tan tanh tensor_scatter_nd_add
    tensor_scatter_nd_max tensor_scatter_nd_min tensor_scatter_nd_sub tensor_scatter_nd_update
    tensordot tile timestamp truediv truncatediv truncatemod type_spec_from_value uint16 uint32
    uint64 uint8 unique unique_with_counts unravel_index unstack variable_creator_scope variant
    vectorized_map zeros
    """,
    "nn": """
    all_candidate_sampler approx_max_k approx_min_k atrous_conv2d atrous_conv2d_transpose
    avg_pool1d avg_pool3d batch_normalization bias_add collapse_repeated compute_accidental_hits
    compute_average_loss conv1d_transpose conv_transpose ctc_greedy_decoder ctc_unique_labels
    depthwise_conv2d_backprop_filter depthwise_conv2d_backprop_input elu
    fixed_unigram_candidate_sampler l2_loss l2_normalize leaky_relu
    learned_unigram_candidate_sampler local_response_normalization log_poisson_loss lrn
    max_pool1d max_pool2d max_pool3d normalize_moments relu relu6 scale_regularization_loss selu
    sigmoid sigmoid_cross_entropy_with_logits silu softplus softsign
    sparse_softmax_cross_entropy_with_logits swish tanh top_k with_space_to_batch zero_fraction
    """,
    "train": """
    BytesList CheckpointManager CheckpointOptions ClusterSpec Example
    ExponentialMovingAverage Feature FeatureList FeatureLists Features FloatList
    Int64List SequenceExample checkpoints_iterator get_checkpoint_state
    latest_checkpoint list_variables load_checkpoint load_variable Checkpoint
    """,
}
#: Namespaces that have names of their own beside all those of TensorFlow 2.
MORE = frozenset({"data", "io"})
#: Namespaces in which some functions take, or compute, what they did in TensorFlow 1.
ALTERED = frozenset(
    {"debugging", "image", "linalg", "math", "random", "sets", "sparse", "strings"}
)
#: Namespaces that are the same.
NAMESPACES = """
    audio autograph bitwise config dtypes errors experimental lookup nest quantization ragged
    raw_ops signal sysconfig types version
"""
#: Functions that compute something else, by the module that has them.
COMPUTED = {
    "former_embeddings": """
    nn.embedding_lookup nn.embedding_lookup_sparse nn.nce_loss nn.safe_embedding_lookup_sparse
    nn.sampled_softmax_loss
    """,
    "former_functions": "nn.softmax_cross_entropy_with_logits strings.split",
    "former_networks": """
    Print batch_gather batch_to_space clip_by_average_norm colocate_with container
    convert_to_tensor_or_indexed_slices convert_to_tensor_or_sparse_tensor model_variables
    moving_average_variables nn.ctc_loss nn.fused_batch_norm nn.relu_layer nn.space_to_batch
    space_to_batch
    """,
    "former_images": "image.draw_bounding_boxes image.resize",
}
#: Names that mean something else, and that are not here.
GONE = frozenset({"image.extract_glimpse"})
#: Names that have another path now.
ALIASES = """
    FixedLenFeature=io.FixedLenFeature FixedLenSequenceFeature=io.FixedLenSequenceFeature
    all_variables=compat.v1.global_variables assert_integer=debugging.assert_integer
    assert_type=debugging.assert_type case=case dimension_at_index=compat.dimension_at_index
    dimension_value=compat.dimension_value floor_div=math.floordiv
    initialize_all_tables=compat.v1.tables_initializer
    initialize_all_variables=compat.v1.global_variables_initializer
    initialize_local_variables=compat.v1.local_variables_initializer
    initialize_variables=compat.v1.variables_initializer random.set_random_seed=random.set_seed
    random.get_seed=compat.v1.get_seed
    train.write_graph=io.write_graph
    NoGradient=no_gradient NotDifferentiable=no_gradient OpError=errors.OpError
    QUANTIZED_DTYPES=dtypes.QUANTIZED_DTYPES SparseFeature=io.SparseFeature
    VarLenFeature=io.VarLenFeature accumulate_n=math.accumulate_n angle=math.angle
    assert_proper_iterable=debugging.assert_proper_iterable
    assert_same_float_dtype=debugging.assert_same_float_dtype betainc=math.betainc
    bincount=math.bincount ceil=math.ceil check_numerics=debugging.check_numerics
    cholesky=linalg.cholesky cholesky_solve=linalg.cholesky_solve conj=math.conj
    cross=linalg.cross cumprod=math.cumprod decode_base64=io.decode_base64
    decode_compressed=io.decode_compressed decode_json_example=io.decode_json_example
    dequantize=quantization.dequantize deserialize_many_sparse=io.deserialize_many_sparse
    diag=linalg.tensor_diag diag_part=linalg.tensor_diag_part digamma=math.digamma
    div_no_nan=math.divide_no_nan encode_base64=io.encode_base64 erf=math.erf erfc=math.erfc
    expm1=math.expm1 fake_quant_with_min_max_args=quantization.fake_quant_with_min_max_args
    fake_quant_with_min_max_args_gradient=quantization.fake_quant_with_min_max_args_gradient
    fake_quant_with_min_max_vars=quantization.fake_quant_with_min_max_vars
    fake_quant_with_min_max_vars_gradient=quantization.fake_quant_with_min_max_vars_gradient
    fake_quant_with_min_max_vars_per_channel=quantization.fake_quant_with_min_max_vars_per_channel
    fake_quant_with_min_max_vars_per_channel_gradient=quantization.fake_quant_with_min_max_vars_per_channel_gradient
    fft=signal.fft fft2d=signal.fft2d fft3d=signal.fft3d floordiv=math.floordiv
    floormod=math.floormod global_norm=linalg.global_norm ifft=signal.ifft ifft2d=signal.ifft2d
    ifft3d=signal.ifft3d igamma=math.igamma igammac=math.igammac imag=math.imag
    invert_permutation=math.invert_permutation is_finite=math.is_finite is_inf=math.is_inf
    is_nan=math.is_nan is_non_decreasing=math.is_non_decreasing
    is_numeric_tensor=debugging.is_numeric_tensor
    is_strictly_increasing=math.is_strictly_increasing lbeta=math.lbeta lgamma=math.lgamma
    lin_space=linspace log=math.log log1p=math.log1p log_sigmoid=math.log_sigmoid
    log_softmax=nn.log_softmax logical_xor=math.logical_xor matching_files=io.matching_files
    matrix_band_part=linalg.band_part matrix_determinant=linalg.det matrix_diag=linalg.diag
    matrix_diag_part=linalg.diag_part matrix_inverse=linalg.inv matrix_set_diag=linalg.set_diag
    matrix_solve=linalg.solve matrix_solve_ls=linalg.lstsq
    matrix_transpose=linalg.matrix_transpose matrix_triangular_solve=linalg.triangular_solve
    mod=math.floormod parse_single_sequence_example=io.parse_single_sequence_example
    parse_tensor=io.parse_tensor polygamma=math.polygamma py_func=numpy_function qr=linalg.qr
    quantize=quantization.quantize quantized_concat=quantization.quantized_concat
    random_crop=image.random_crop random_gamma=random.gamma random_normal=random.normal
    random_shuffle=random.shuffle random_uniform=random.uniform read_file=io.read_file
    real=math.real reciprocal=math.reciprocal regex_replace=strings.regex_replace
    reverse_v2=reverse rint=math.rint rsqrt=math.rsqrt segment_max=math.segment_max
    segment_mean=math.segment_mean segment_min=math.segment_min segment_prod=math.segment_prod
    segment_sum=math.segment_sum self_adjoint_eig=linalg.eigh
    self_adjoint_eigvals=linalg.eigvalsh serialize_tensor=io.serialize_tensor
    set_random_seed=random.set_seed sparse_fill_empty_rows=sparse.fill_empty_rows
    sparse_mask=sparse.mask sparse_maximum=sparse.maximum sparse_minimum=sparse.minimum
    sparse_reorder=sparse.reorder sparse_reset_shape=sparse.reset_shape
    sparse_reshape=sparse.reshape sparse_retain=sparse.retain sparse_slice=sparse.slice
    sparse_softmax=sparse.softmax sparse_tensor_dense_matmul=sparse.sparse_dense_matmul
    sparse_tensor_to_dense=sparse.to_dense sparse_to_indicator=sparse.to_indicator
    sparse_transpose=sparse.transpose squared_difference=math.squared_difference
    string_join=strings.join string_strip=strings.strip
    string_to_hash_bucket_fast=strings.to_hash_bucket_fast
    string_to_hash_bucket_strong=strings.to_hash_bucket_strong svd=linalg.svd
    tensor_scatter_add=tensor_scatter_nd_add tensor_scatter_sub=tensor_scatter_nd_sub
    tensor_scatter_update=tensor_scatter_nd_update trace=linalg.trace
    truncated_normal=random.truncated_normal unsorted_segment_max=math.unsorted_segment_max
    unsorted_segment_mean=math.unsorted_segment_mean
    unsorted_segment_min=math.unsorted_segment_min
    unsorted_segment_prod=math.unsorted_segment_prod
    unsorted_segment_sqrt_n=math.unsorted_segment_sqrt_n
    unsorted_segment_sum=math.unsorted_segment_sum where_v2=where write_file=io.write_file
    zeta=math.zeta
    VERSION=version.VERSION batch_to_space_nd=batch_to_space fftnd=signal.fftnd
    ifftnd=signal.ifftnd irfftnd=signal.irfftnd rfftnd=signal.rfftnd
    debugging.is_finite=math.is_finite debugging.is_inf=math.is_inf debugging.is_nan=math.is_nan
    debugging.is_non_decreasing=math.is_non_decreasing
    debugging.is_strictly_increasing=math.is_strictly_increasing
    image.resize_image_with_crop_or_pad=image.resize_with_crop_or_pad
    image.resize_images=compat.v1.image.resize image.transpose_image=image.transpose
    linalg.transpose=linalg.matrix_transpose nn.avg_pool_v2=nn.avg_pool
    nn.ctc_beam_search_decoder_v2=nn.ctc_beam_search_decoder nn.ctc_loss_v2=nn.ctc_loss
    nn.log_uniform_candidate_sampler=random.log_uniform_candidate_sampler
    nn.max_pool_v2=nn.max_pool
    nn.uniform_candidate_sampler=random.uniform_candidate_sampler
    sets.set_difference=sets.difference sets.set_intersection=sets.intersection
    sets.set_size=sets.size sets.set_union=sets.union sparse.matmul=sparse.sparse_dense_matmul
    sparse.placeholder=compat.v1.sparse_placeholder
"""
#: Methods of variables that are functions there.
_CHANGES = """
    batch_scatter_update scatter_div scatter_max scatter_min scatter_mul scatter_nd_add
    scatter_nd_sub scatter_nd_update
"""
#: Casts, by their names.
_CASTS = {
    "to_bfloat16": "bfloat16",
    "to_complex128": "complex128",
    "to_complex64": "complex64",
    "to_double": "float64",
    "to_float": "float32",
    "to_int32": "int32",
    "to_int64": "int64",
}


def same_name(namespace: str, name: str) -> Any:
    """What a name of a namespace below `tf.compat.v1` means in this package.

    Raises:
        AttributeError: It has no such meaning.
    """
    path = f"{namespace}.{name}".lstrip(".")
    if path in GONE:
        raise AttributeError(name)
    if path in signatures():
        return with_former_signature(path)
    for module, paths in COMPUTED.items():
        if path in paths.split():
            return getattr(importlib.import_module(f"{__package__}.{module}"), name)
    if name in SAME.get(namespace, "").split():
        return at(path)
    if path in FORMER:
        return former(path)
    aliases = dict(pair.split("=") for pair in ALIASES.split())
    if path in aliases:
        return at(aliases[path])
    if namespace in MORE or namespace in ALTERED:
        return at(path)
    if not namespace:
        if name in ALTERED:
            return altered(name)
        if name in NAMESPACES.split():
            return at(name)
        if name in _CASTS:
            return cast_to(name)
        if name in _CHANGES.split():
            return change_of(name)
    raise AttributeError(name)


def path_of_today(path: str) -> str | None:
    """The public path of what stands at a path in TensorFlow 1; None where it has no such name.

    It is below `compat.v1` where TensorFlow 2 has no such function.
    """
    aliases = dict(pair.split("=") for pair in ALIASES.split())
    home, _ = signatures().get(path, (None, {}))
    today = aliases.get(path, path if home is None else home)
    if today != path and not today.startswith(("raw_ops.", "compat.v1.")):
        return today
    return f"compat.v1.{path}" if path in aliases or is_classic(path) else None


def is_classic(path: str) -> bool:
    """Whether something stands at a path below `tf.compat.v1`, beside what is the same today."""
    if path in signatures() or path in FORMER:
        return True
    if any(path in paths.split() for paths in COMPUTED.values()):
        return True
    *namespaces, name = path.split(".")
    module = at("compat.v1")
    for namespace in namespaces:
        if namespace not in getattr(module, "__all__", ()):
            return False
        module = getattr(module, namespace)
    return name in getattr(module, "__all__", ())


@functools.cache
def altered(path: str) -> ModuleType:
    """A namespace of today with the functions that were other ones in TensorFlow 1.

    >>> import graphwright as tf
    >>> tf.compat.v1.math.argmax([3, 5], dimension=0).numpy()
    np.int64(1)
    """
    title = f"graphwright.compat.v1.{path}"
    module = ModuleType(title, f"`tf.{path}` of TensorFlow 1.")

    def find(name: str) -> Any:
        try:
            if name.startswith("_"):
                raise AttributeError(name)
            return same_name(path, name)
        except AttributeError:
            raise unknown(module, name) from None

    offered = sorted(name for name in at(path).__all__ if f"{path}.{name}" not in GONE)
    vars(module).update(__getattr__=find, __dir__=lambda: offered, __all__=offered)
    return module


def cast_to(name: str) -> Callable[..., Any]:
    """A function that casts to the dtype of its name."""

    def call(x: object, name: str | None = None) -> Any:
        return at("cast")(x, dtype, name)

    dtype = at(_CASTS[name])
    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"Returns a tensor as {dtype.name}, as `tf.cast` does."
    return call


def change_of(method: str) -> Callable[..., Any]:
    """A function that changes parts of a variable, as its method of this name does."""

    def call(
        ref: Any,
        indices: object,
        updates: object,
        use_locking: bool = True,
        name: str | None = None,
    ) -> Any:
        values = at("convert_to_tensor")(updates, ref.dtype)
        if "_nd_" in method:
            return getattr(ref, method)(indices, values, name=name)
        return getattr(ref, method)(at("IndexedSlices")(values, indices), name=name)

    call.__name__ = call.__qualname__ = method
    call.__doc__ = f"Changes parts of a variable, as `tf.Variable.{method}` does."
    return call
