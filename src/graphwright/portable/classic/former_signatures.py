"""Functions whose parameters have other names, or come in another order, than in TensorFlow 1.

The table is facts about TensorFlow 2.21. `tests/golden/former_signatures.json` holds all of them.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import Any

#: The parameters of functions in the order of TensorFlow 1, and the paths of these functions.
#: `old:new` has a name of today after it, and `old:` is accepted and not used. After the `=` of a
#: path stands the path of today.
_PATHS = {
    "x y data: summarize message name": """
    assert_equal=debugging.assert_equal assert_greater=debugging.assert_greater
    assert_greater_equal=debugging.assert_greater_equal assert_less=debugging.assert_less
    assert_less_equal=debugging.assert_less_equal assert_none_equal=debugging.assert_none_equal
    debugging.assert_equal debugging.assert_greater debugging.assert_greater_equal
    debugging.assert_less debugging.assert_less_equal debugging.assert_none_equal
    """,
    "x y rtol atol data: summarize message name": """
    assert_near=debugging.assert_near debugging.assert_near
    """,
    "x data: summarize message name": """
    assert_negative=debugging.assert_negative assert_non_negative=debugging.assert_non_negative
    assert_non_positive=debugging.assert_non_positive assert_positive=debugging.assert_positive
    debugging.assert_negative debugging.assert_non_negative debugging.assert_non_positive
    debugging.assert_positive
    """,
    "x rank data: summarize: message name": """
    assert_rank=debugging.assert_rank assert_rank_at_least=debugging.assert_rank_at_least
    debugging.assert_rank debugging.assert_rank_at_least
    """,
    "x ranks data: summarize: message name": """
    assert_rank_in=debugging.assert_rank_in debugging.assert_rank_in
    """,
    "tensor name message": "assert_scalar=debugging.assert_scalar debugging.assert_scalar",
    "input axis name dimension:axis output_type": """
    argmax=math.argmax argmin=math.argmin math.argmax math.argmin
    """,
    "tensor mask name axis": "boolean_mask",
    "labels predictions num_classes dtype name weights": """
    confusion_matrix=math.confusion_matrix math.confusion_matrix
    """,
    "value dtype name preferred_dtype:dtype_hint dtype_hint": "convert_to_tensor",
    (
        "input_tensor:input axis keepdims dtype name reduction_indices:axis keep_dims:keepdims "
        "input"
    ): """
    count_nonzero=math.count_nonzero math.count_nonzero
    """,
    "t:x msg:message name x message": """
    debugging.assert_all_finite verify_tensor_all_finite=debugging.assert_all_finite
    """,
    "records record_defaults field_delim use_quote_delim name na_value select_cols": """
    decode_csv=io.decode_csv io.decode_csv
    """,
    "input_bytes out_type little_endian name bytes:input_bytes": """
    decode_raw=io.decode_raw io.decode_raw
    """,
    "input block_size name data_format": """
    depth_to_space=nn.depth_to_space nn.depth_to_space nn.space_to_depth
    space_to_depth=nn.space_to_depth
    """,
    "input axis name dim:axis": "expand_dims",
    "params indices validate_indices name axis batch_dims": "gather",
    "params indices name batch_dims bad_indices_policy": "gather_nd manip.gather_nd=gather_nd",
    "device_name_or_function:device_name": "device",
    "oldpath:src newpath:dst overwrite": "gfile.Copy=io.gfile.copy",
    "oldname:src newname:dst overwrite": "gfile.Rename=io.gfile.rename",
    "dirname:path": """
    gfile.DeleteRecursively=io.gfile.rmtree gfile.IsDirectory=io.gfile.isdir
    gfile.ListDirectory=io.gfile.listdir gfile.MakeDirs=io.gfile.makedirs
    gfile.MkDir=io.gfile.mkdir
    """,
    "filename:path": """
    gfile.Exists=io.gfile.exists gfile.Remove=io.gfile.remove gfile.Stat=io.gfile.stat
    """,
    "filename:pattern": "gfile.Glob=io.gfile.glob",
    "top in_order:topdown": "gfile.Walk=io.gfile.walk",
    "filepattern:ckpt_dir_or_file": "train.NewCheckpointReader=train.load_checkpoint",
    "sp_input name out_type": """
    io.serialize_many_sparse io.serialize_sparse serialize_sparse=io.serialize_sparse
    serialize_many_sparse=io.serialize_many_sparse
    """,
    "ys xs name colocate_gradients_with_ops: gate_gradients aggregation_method": "hessians",
    "image boxes box_ind:box_indices crop_size method extrapolation_value name box_indices": """
    image.crop_and_resize
    """,
    (
        "image_size bounding_boxes seed seed2: min_object_covered aspect_ratio_range area_range "
        "max_attempts use_image_if_no_bounding_boxes name"
    ): """
    image.sample_distorted_bounding_box
    """,
    "serialized features name example_names": """
    io.parse_example io.parse_single_example parse_example=io.parse_example
    parse_single_example=io.parse_single_example
    """,
    "tensor ord axis keepdims name keep_dims:keepdims": "linalg.norm norm",
    "predictions targets k name": "math.in_top_k nn.in_top_k",
    "logits axis name dim:axis": "math.log_softmax math.softmax nn.log_softmax nn.softmax",
    "input_tensor axis keepdims name reduction_indices:axis keep_dims:keepdims": """
    math.reduce_all math.reduce_any math.reduce_logsumexp math.reduce_max math.reduce_mean
    math.reduce_min math.reduce_prod math.reduce_sum reduce_all reduce_any reduce_logsumexp
    reduce_max reduce_mean reduce_min reduce_prod reduce_sum
    """,
    "value:input ksize strides padding data_format name input": """
    nn.avg_pool nn.max_pool nn.avg_pool2d
    """,
    (
        "input filter:filters strides padding use_cudnn_on_gpu: data_format dilations name "
        "filters"
    ): """
    nn.conv2d
    """,
    (
        "value:input filter:filters output_shape strides padding data_format name input filters "
        "dilations"
    ): """
    nn.conv2d_transpose
    nn.conv3d_transpose
    """,
    "input filter:filters strides padding data_format dilations name filters": "nn.conv3d",
    "features name axis": "nn.crelu",
    "input filter strides padding rate:dilations name data_format dilations": "nn.depthwise_conv2d",
    "x axes shift name keep_dims:keepdims keepdims": "nn.moments",
    (
        "input depthwise_filter pointwise_filter strides padding rate:dilations name data_format "
        "dilations"
    ): """
    nn.separable_conv2d
    """,
    "labels logits axis name dim:axis": """
    nn.softmax_cross_entropy_with_logits_v2=nn.softmax_cross_entropy_with_logits
    """,
    "labels logits pos_weight name targets:labels": "nn.weighted_cross_entropy_with_logits",
    "tensor:input dtype name optimize:": "ones_like zeros_like",
    "tensor paddings mode name constant_values": "pad",
    "lam shape dtype seed name": """
    random.poisson random_poisson=random.poisson
    """,
    "input seq_lengths seq_axis batch_axis name seq_dim:seq_axis batch_dim:batch_axis": """
    reverse_sequence
    """,
    "input name out_type": "shape size",
    "a b threshold thresh:threshold": """
    sparse.add sparse_add=sparse.add
    """,
    (
        "axis sp_inputs name expand_nonconcat_dim:expand_nonconcat_dims concat_dim:axis "
        "expand_nonconcat_dims"
    ): """
    sparse.concat
    sparse_concat=sparse.concat
    """,
    "sp_input axis keepdims reduction_axes:axis keep_dims:keepdims": """
    sparse.reduce_max sparse.reduce_sum
    sparse.reduce_max_sparse=sparse.reduce_max sparse.reduce_sum_sparse=sparse.reduce_sum
    sparse_reduce_max=sparse.reduce_max sparse_reduce_max_sparse=sparse.reduce_max
    sparse_reduce_sum=sparse.reduce_sum sparse_reduce_sum_sparse=sparse.reduce_sum
    """,
    "data indices segment_ids name num_segments sparse_gradient": """
    sparse.segment_mean sparse.segment_sqrt_n sparse.segment_sum
    sparse_segment_mean=sparse.segment_mean sparse_segment_sqrt_n=sparse.segment_sqrt_n
    sparse_segment_sum=sparse.segment_sum
    """,
    "keyword_required: sp_input num_split axis name split_dim:axis": """
    sparse.split sparse_split=sparse.split
    """,
    "input axis name squeeze_dims:axis": "squeeze",
    "string_tensor:input out_type name input": """
    string_to_number=strings.to_number strings.to_number
    """,
    "input name unit": "strings.length",
    "inputs axis keep_dims:keepdims separator name reduction_indices:axis keepdims": """
    strings.reduce_join
    reduce_join=strings.reduce_join
    """,
    "input pos len name unit": """
    strings.substr substr=strings.substr
    """,
    "string_tensor:input num_buckets name input": """
    strings.to_hash_bucket string_to_hash_bucket=strings.to_hash_bucket
    """,
    "a perm name conjugate": "transpose",
    "tensors name control_inputs": "tuple",
    "input dimension:axis output_type name": "arg_max=math.argmax arg_min=math.argmin",
    (
        "t:input m:mean v:variance beta gamma variance_epsilon scale_after_normalization name "
        "input mean variance"
    ): """
    nn.batch_norm_with_global_normalization
    """,
    "value:input filters stride padding use_cudnn_on_gpu: data_format name input dilations": """
    nn.conv1d
    """,
    (
        "input filter_sizes out_backprop strides padding use_cudnn_on_gpu data_format dilations "
        "name"
    ): """
    nn.conv2d_backprop_filter=raw_ops.Conv2DBackpropFilter
    """,
    (
        "input_sizes filter out_backprop strides padding use_cudnn_on_gpu data_format dilations "
        "name filters:filter"
    ): """
    nn.conv2d_backprop_input=raw_ops.Conv2DBackpropInput
    """,
    "input filter_sizes out_backprop strides padding data_format dilations name": """
    nn.conv3d_backprop_filter=raw_ops.Conv3DBackpropFilterV2
    nn.conv3d_backprop_filter_v2=raw_ops.Conv3DBackpropFilterV2
    nn.depthwise_conv2d_native_backprop_filter=raw_ops.DepthwiseConv2dNativeBackpropFilter
    """,
    "input_sizes filter out_backprop strides padding data_format dilations name": """
    nn.depthwise_conv2d_native_backprop_input=raw_ops.DepthwiseConv2dNativeBackpropInput
    """,
    "input filter strides padding data_format dilations name": """
    nn.depthwise_conv2d_native=raw_ops.DepthwiseConv2dNative
    """,
    (
        "input filter:filters padding strides dilation_rate:dilations name data_format filters "
        "dilations"
    ): """
    nn.convolution
    """,
    (
        "input window_shape pooling_type padding dilation_rate:dilations strides name data_format "
        "dilations"
    ): """
    nn.pool
    """,
    "input filter strides rates padding name filters:filter dilations:rates": """
    nn.dilation2d=raw_ops.Dilation2D
    """,
    "value kernel:filters strides rates:dilations padding name": "nn.erosion2d",
    "value pooling_ratio pseudo_random overlapping deterministic seed seed2 name": """
    nn.fractional_avg_pool=raw_ops.FractionalAvgPool
    nn.fractional_max_pool=raw_ops.FractionalMaxPool
    """,
    (
        "input ksize strides padding data_format Targmax:output_dtype name output_dtype "
        "include_batch_in_index"
    ): """
    nn.max_pool_with_argmax
    """,
    "x axes shift keep_dims:keepdims name keepdims": "nn.sufficient_statistics",
    "x axes frequency_weights name keep_dims:keepdims keepdims": "nn.weighted_moments",
    "images ksizes:sizes strides rates padding name sizes": """
    extract_image_patches=image.extract_patches image.extract_image_patches=image.extract_patches
    """,
    "logits num_samples seed name output_dtype:dtype": """
    multinomial=random.categorical random.multinomial=random.categorical
    """,
    "logits num_samples seed output_dtype:dtype name": """
    random.stateless_multinomial=random.stateless_categorical
    """,
    "x y index_dtype:out_idx name": "setdiff1d=raw_ops.ListDiff",
    "sparse_indices output_shape sparse_values default_value validate_indices name": """
    sparse_to_dense=raw_ops.SparseToDense
    """,
    "a b transpose_a transpose_b a_is_sparse b_is_sparse name": "sparse_matmul=matmul",
    "values name default_name": "op_scope=compat.v1.name_scope",
    (
        "values name_or_scope default_name initializer regularizer caching_device partitioner "
        "custom_getter reuse dtype use_resource constraint"
    ): """
    variable_op_scope=compat.v1.variable_scope
    """,
    (
        "input min_range max_range T mode name round_mode narrow_range axis ensure_minimum_range"
    ): """
    quantize_v2=quantization.quantize
    """,
    "images size align_corners name half_pixel_centers": """
    image.resize_bicubic=raw_ops.ResizeBicubic image.resize_bilinear=raw_ops.ResizeBilinear
    image.resize_nearest_neighbor=raw_ops.ResizeNearestNeighbor
    """,
    "images size align_corners name": "image.resize_area=raw_ops.ResizeArea",
}  # fmt: skip

#: Arguments that a function of today gets where TensorFlow 1 has a default of its own, or none.
_DEFAULTS: dict[str, dict[str, object]] = {
    "nn.conv1d": {"data_format": "NWC"},
    "nn.erosion2d": {"data_format": "NHWC"},
    "sparse_to_dense": {"default_value": 0},
    "op_scope": {"name": None},
    "sparse.reduce_max_sparse": {"output_is_sparse": True},
    "sparse.reduce_sum_sparse": {"output_is_sparse": True},
    "sparse_reduce_max_sparse": {"output_is_sparse": True},
    "sparse_reduce_sum_sparse": {"output_is_sparse": True},
}


@functools.cache
def signatures() -> dict[str, tuple[str, dict[str, str]]]:
    """By a function's path: the path of today, and by each parameter's name its name of today."""
    result = {}
    for parameters, places in _PATHS.items():
        names = {}
        for parameter in parameters.split():
            old, colon, new = parameter.partition(":")
            names[old] = new if colon else old
        for place in places.split():
            path, _, home = place.partition("=")
            result[path] = home or path, names
    return result


def with_former_signature(path: str) -> Callable[..., Any]:
    """A public function that takes its arguments as in TensorFlow 1; None is a parameter's default.

    >>> import graphwright as tf
    >>> tf.compat.v1.reduce_sum([[1, 2], [3, 4]], reduction_indices=1).numpy().tolist()
    [3, 7]
    """
    home, names = signatures()[path]
    function, defaults = at(home), _DEFAULTS.get(path, {})

    @functools.wraps(function)
    def call(*args: object, **kwargs: object) -> Any:
        if len(args) > len(names):
            words = f"takes at most {len(names)} positional arguments but {len(args)} were given"
            raise TypeError(f"{path}() {words}")
        given = dict(zip(names, args))
        for old, value in kwargs.items():
            if old in given:
                raise TypeError(f"{path}() got multiple values for argument {old!r}")
            given[old] = value
        passed: dict[str, object] = {}
        former: dict[str, str] = {}
        for old, value in given.items():
            new = names.get(old, old)
            if value is None or not new:
                continue
            if new in passed:
                raise ValueError(f"Cannot specify both {former[new]!r} and {old!r}.")
            passed[new], former[new] = value, old
        return function(**(defaults | passed))

    del call.__wrapped__  # its signature is another one
    return call


def at(path: str) -> Any:
    """The public value at a path of this package."""
    value: Any = sys.modules["graphwright"]
    for part in path.split("."):
        value = getattr(value, part)
    return value
