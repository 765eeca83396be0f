"""Uses of ops that golden cases come to in no small form, or with state: what bad calls of them are
made from (`support.bad_calls`)."""

from __future__ import annotations

from typing import Any

import numpy as np
from support.bad_calls import Arguments, Made


def floats(*shape: int) -> Any:
    """Different numbers."""
    return (np.arange(np.prod(shape, dtype=int)) % 7 / 4 + 0.25).reshape(shape).astype(np.float32)


def ints(*values: Any) -> Any:
    """A vector of int32."""
    return np.array(values, np.int32)


def longs(*values: Any) -> Any:
    """A vector of int64."""
    return np.array(values, np.int64)


def words(*values: Any) -> Any:
    """A vector of strings."""
    return np.array(values, object)


def number(value: Any, dtype: Any = np.float32) -> Any:
    """A scalar."""
    return np.array(value, dtype)


def greatest(images: Any) -> Any:
    """The greatest element of each window of 2 along the axes between the first and the last."""
    for axis in range(1, images.ndim - 1):
        count = images.shape[axis] - 1
        first, second = (np.arange(count) + place for place in (0, 1))
        images = np.maximum(images.take(first, axis), images.take(second, axis))
    return images


def variable(*shape: int) -> Made:
    """A variable."""
    return Made("variable", floats(*shape))


FLOAT = {"type": "float32"}
TEXT = number("a", object)
TRIPLE = {"ksize": [1, 2, 2, 2, 1], "strides": [1, 1, 1, 1, 1], "padding": "VALID"}
PAIR = {"ksize": [1, 2, 2, 1], "strides": [1, 1, 1, 1], "padding": "VALID"}
FLAT = {"strides": [1, 1, 1, 1], "padding": "VALID"}
DEEP = {"strides": [1, 1, 1, 1, 1], "padding": "VALID"}
ROUND = {"strides": [1, 1, 1, 1], "rates": [1, 1, 1, 1], "padding": "VALID"}
SEEDS = {"seed": 1, "seed2": 2}
SAMPLER = {
    "true_classes": np.array([[1], [2]], np.int64),
    "num_true": 1,
    "num_sampled": 2,
    "unique": False,
    "range_max": 5,
    **SEEDS,
}
FRACTIONAL = {
    "value": floats(1, 4, 4, 1),
    "pooling_ratio": [1.0, 1.5, 1.5, 1.0],
    "deterministic": True,
    **SEEDS,
}
NEURAL = {"depth_radius": 1, "bias": 1.0, "alpha": 1.0, "beta": 0.5}
BOXES = np.array([[0, 0, 1, 1], [0, 0.5, 1, 1], [0, 0, 0.5, 0.5]], np.float32)
KEPT = {
    "boxes": BOXES,
    "scores": floats(3),
    "max_output_size": number(2, np.int32),
    "iou_threshold": number(0.5),
    "score_threshold": number(0.0),
}
CROPS = {"boxes": BOXES[:2], "box_ind": ints(0, 0), "method": "bilinear"}
SEEN = {
    "images": floats(1, 2, 2, 1),
    "transforms": np.array([[1, 0, 0, 0, 1, 0, 0, 0]], np.float32),
    "output_shape": ints(2, 2),
    "interpolation": "BILINEAR",
    "fill_mode": "CONSTANT",
}
PLACED = {
    "scale": np.ones(2, np.float32),
    "translation": np.zeros(2, np.float32),
    "kernel_type": "triangle",
    "antialias": True,
}
RANGES = {"min": np.zeros(2, np.float32), "max": np.ones(2, np.float32), "num_bits": 8}
AXES = {"fft_length": ints(2, 2), "axes": ints(0, 1)}
CHARACTERS = {
    "input": words("a", "bc"),
    "input_encoding": "UTF-8",
    "errors": "replace",
    "replacement_char": 65533,
}
NORMALIZED = {"epsilon": 0.5, "data_format": "NHWC", "is_training": True}
STATE = Made("variable", longs(1, 2, 3))
LIST = Made("tensor_list", floats(3, 2))
ELEMENT = {"element_shape": ints(2), "element_dtype": FLOAT}
KEYS = Made("table", words("a", "b"))
BYTES = Made("quantized", np.array([[1, 2]], np.uint8))
EVENT = {"writer": Made("writer"), "step": number(1, np.int64)}
SCATTERED = {"resource": variable(3, 2), "indices": ints(0, 2), "updates": floats(2, 2)}
SCATTERED_ND = {
    "ref": variable(3, 2),
    "indices": np.array([[0], [2]], np.int32),
    "updates": floats(2, 2),
}

EXAMPLES: dict[str, Arguments] = {
    "Add": {"x": floats(2, 2), "y": floats(2)},
    "AdjustContrastv2": {"images": floats(1, 2, 2, 3), "contrast_factor": number(2.0)},
    "AdjustHue": {"images": floats(1, 2, 3), "delta": number(0.25)},
    "AdjustSaturation": {"images": floats(1, 2, 3), "scale": number(0.5)},
    "Assert": {"condition": np.array(True), "data": [ints(1, 2)], "summarize": 3},
    **{
        name: {"resource": variable(2), "value": floats(2)}
        for name in ("AssignAddVariableOp", "AssignSubVariableOp", "AssignVariableOp")
    },
    "AvgPool3D": {"input": floats(1, 2, 3, 3, 1), **TRIPLE},
    "BatchMatMulV3": {"x": floats(2, 2, 3), "y": floats(3, 2), "Tout": FLOAT},
    "CheckNumerics": {"tensor": floats(2), "message": "a"},
    "CheckNumericsV2": {"tensor": floats(2), "message": "a"},
    "CloseSummaryWriter": {"writer": Made("writer")},
    "CombinedNonMaxSuppression": {
        "boxes": BOXES[None, :, None],
        "scores": floats(1, 3, 1),
        "max_output_size_per_class": number(2, np.int32),
        "max_total_size": number(2, np.int32),
        "iou_threshold": number(0.5),
        "score_threshold": number(0.0),
    },
    "ComplexAbs": {"x": floats(2).astype(np.complex64), "Tout": FLOAT},
    "ConsumeMutexLock": {"mutex_lock": Made("lock")},
    "ConjugateTranspose": {"x": floats(2, 3).astype(np.complex64), "perm": ints(1, 0)},
    "Conv2D": {
        "input": floats(1, 3, 3, 1),
        "filter": floats(2, 2, 1, 1),
        "strides": [1, 1, 1, 1],
        "padding": "EXPLICIT",
        "explicit_paddings": [0, 0, 1, 1, 1, 1, 0, 0],
    },
    "Conv3D": {"input": floats(1, 2, 3, 3, 1), "filter": floats(2, 2, 2, 1, 1), **DEEP},
    "Conv3DBackpropFilterV2": {
        "input": floats(1, 2, 3, 3, 1),
        "filter_sizes": ints(2, 2, 2, 1, 1),
        "out_backprop": floats(1, 1, 2, 2, 1),
        **DEEP,
    },
    "Conv3DBackpropInputV2": {
        "input_sizes": ints(1, 2, 3, 3, 1),
        "filter": floats(2, 2, 2, 1, 1),
        "out_backprop": floats(1, 1, 2, 2, 1),
        **DEEP,
    },
    "CropAndResize": {
        "image": floats(1, 3, 3, 1),
        **CROPS,
        "crop_size": ints(2, 2),
        "extrapolation_value": 0.5,
    },
    "CropAndResizeGradBoxes": {"grads": floats(2, 2, 2, 1), "image": floats(1, 3, 3, 1), **CROPS},
    "DecodePaddedRaw": {
        "input_bytes": words("abcd", "ef"),
        "fixed_length": number(4, np.int32),
        "out_type": {"type": "int16"},
    },
    "DepthToSpace": {"input": floats(1, 1, 2, 4), "block_size": 2},
    "DepthwiseConv2dNative": {"input": floats(1, 3, 3, 2), "filter": floats(2, 2, 2, 1), **FLAT},
    "DepthwiseConv2dNativeBackpropFilter": {
        "input": floats(1, 3, 3, 2),
        "filter_sizes": ints(2, 2, 2, 1),
        "out_backprop": floats(1, 2, 2, 2),
        **FLAT,
    },
    "DepthwiseConv2dNativeBackpropInput": {
        "input_sizes": ints(1, 3, 3, 2),
        "filter": floats(2, 2, 2, 1),
        "out_backprop": floats(1, 2, 2, 2),
        **FLAT,
    },
    "DenseBincount": {
        "input": ints(0, 1, 1),
        "size": number(3, np.int32),
        "weights": floats(3),
        "binary_output": False,
    },
    "Dequantize": {
        "input": BYTES,
        "min_range": number(0.0),
        "max_range": number(2.0),
        "mode": "MIN_COMBINED",
        "axis": -1,
    },
    "Dilation2D": {"input": floats(1, 3, 3, 1), "filter": floats(2, 2, 1), **ROUND},
    **{
        f"Dilation2DBackprop{of}": {
            "input": floats(1, 3, 3, 1),
            "filter": floats(2, 2, 1),
            "out_backprop": floats(1, 2, 2, 1),
            **ROUND,
        }
        for of in ("Filter", "Input")
    },
    "DrawBoundingBoxesV2": {
        "images": floats(1, 3, 3, 3),
        "boxes": BOXES[None, :2],
        "colors": floats(1, 3),
    },
    "EncodeJpeg": {"image": np.ones((2, 2, 3), np.uint8), "quality": 95, "x_density": 300},
    "EncodeJpegVariableQuality": {
        "images": np.ones((2, 2, 3), np.uint8),
        "quality": number(95, np.int32),
    },
    "EnsureShape": {"input": floats(2, 3), "shape": [2, 3]},
    "ExtractGlimpseV2": {
        "input": floats(1, 3, 3, 1),
        "size": ints(2, 2),
        "offsets": np.zeros((1, 2), np.float32),
        "noise": "zero",
        "uniform_noise": False,
    },
    "ExtractVolumePatches": {
        "input": floats(1, 2, 2, 2, 1),
        "ksizes": [1, 2, 2, 2, 1],
        "strides": [1, 1, 1, 1, 1],
        "padding": "VALID",
    },
    **{
        name: {"input": floats(2, 2).astype(np.complex64), **AXES}
        for name in ("FFTND", "IFFTND", "IRFFTND")
    },
    "RFFTND": {"input": floats(2, 2), **AXES},
    "FakeQuantWithMinMaxVarsPerChannel": {"inputs": floats(3, 2), **RANGES},
    "FakeQuantWithMinMaxVarsPerChannelGradient": {
        "gradients": floats(3, 2),
        "inputs": floats(3, 2),
        **RANGES,
    },
    "Fill": {"dims": ints(2, 3), "value": number(0.5)},
    "FixedUnigramCandidateSampler": {
        **SAMPLER,
        "unigrams": [1.0, 2.0, 3.0, 4.0, 5.0],
        "distortion": 1.0,
        "num_reserved_ids": 0,
        "num_shards": 1,
        "shard": 0,
    },
    "FlushSummaryWriter": {"writer": Made("writer")},
    "FractionalAvgPool": FRACTIONAL,
    "FractionalMaxPool": FRACTIONAL,
    "FractionalMaxPoolGrad": {
        "orig_input": floats(1, 4, 4, 1),
        "orig_output": np.array([1.5, 1.75, 1.75, 1.25], np.float32).reshape(1, 2, 2, 1),
        "out_backprop": floats(1, 2, 2, 1),
        "row_pooling_sequence": longs(0, 2, 4),
        "col_pooling_sequence": longs(0, 2, 4),
    },
    "FusedBatchNormGradV3": {
        "y_backprop": floats(1, 2, 2, 2),
        "x": floats(1, 2, 2, 2),
        "scale": floats(2),
        "reserve_space_1": floats(2),
        "reserve_space_2": floats(2),
        "reserve_space_3": floats(2),
        **NORMALIZED,
    },
    "FusedBatchNormV3": {
        "x": floats(1, 2, 2, 2),
        "scale": floats(2),
        "offset": floats(2),
        "mean": floats(2),
        "variance": floats(2),
        "exponential_avg_factor": 0.5,
        **NORMALIZED,
        "is_training": False,
    },
    "ImageProjectiveTransformV2": SEEN,
    "ImageProjectiveTransformV3": {**SEEN, "fill_value": number(0.5)},
    "LRN": {"input": floats(1, 1, 2, 3), **NEURAL},
    "LRNGrad": {
        "input_grads": floats(1, 1, 2, 3),
        "input_image": floats(1, 1, 2, 3),
        "output_image": floats(1, 1, 2, 3),
        **NEURAL,
    },
    "LearnedUnigramCandidateSampler": SAMPLER,
    "LogUniformCandidateSampler": SAMPLER,
    "LookupTableExportV2": {
        "table_handle": KEYS,
        "Tkeys": {"type": "string"},
        "Tvalues": {"type": "int64"},
    },
    "LookupTableFindV2": {
        "table_handle": KEYS,
        "keys": words("a", "c"),
        "default_value": number(-1, np.int64),
    },
    **{
        f"LookupTable{what}V2": {"table_handle": KEYS, "keys": words("c"), "values": longs(7)}
        for what in ("Import", "Insert")
    },
    "LookupTableRemoveV2": {"table_handle": KEYS, "keys": words("a")},
    "LookupTableSizeV2": {"table_handle": KEYS},
    "MatchingFiles": {"pattern": words("/no such place/*")},
    "MaxPool3D": {"input": floats(1, 2, 3, 3, 1), **TRIPLE},
    "MaxPool3DGrad": {
        "orig_input": floats(1, 2, 3, 3, 1),
        "orig_output": greatest(floats(1, 2, 3, 3, 1)),
        "grad": floats(1, 1, 2, 2, 1),
        **TRIPLE,
    },
    "MaxPool3DGradGrad": {
        "orig_input": floats(1, 2, 3, 3, 1),
        "orig_output": greatest(floats(1, 2, 3, 3, 1)),
        "grad": floats(1, 2, 3, 3, 1),
        **TRIPLE,
    },
    "MaxPoolGradGrad": {
        "orig_input": floats(1, 3, 3, 1),
        "orig_output": greatest(floats(1, 3, 3, 1)),
        "grad": floats(1, 3, 3, 1),
        **PAIR,
    },
    "MaxPoolWithArgmax": {"input": floats(1, 3, 3, 1), **PAIR},
    "Multinomial": {"logits": floats(2, 3), "num_samples": number(2, np.int32), **SEEDS},
    "MutexLock": {"mutex": Made("mutex")},
    "NonMaxSuppressionV3": KEPT,
    "NonMaxSuppressionV5": {**KEPT, "soft_nms_sigma": number(0.5)},
    "NonMaxSuppressionWithOverlaps": {
        "overlaps": floats(3, 3),
        "scores": floats(3),
        "max_output_size": number(2, np.int32),
        "overlap_threshold": number(0.5),
        "score_threshold": number(0.0),
    },
    "ParseExampleV2": {
        "serialized": words("", ""),
        "names": words("a", "b"),
        "sparse_keys": words("a"),
        "dense_keys": words("b"),
        "ragged_keys": words("c"),
        "dense_defaults": [floats(2)],
        "num_sparse": 1,
        "sparse_types": [FLOAT],
        "ragged_value_types": [FLOAT],
        "ragged_split_types": [{"type": "int64"}],
        "dense_shapes": [[2]],
    },
    "PrintV2": {"input": TEXT, "output_stream": "file:///dev/null"},
    "QuantizedConcat": {
        "concat_dim": number(0, np.int32),
        "values": [BYTES, BYTES],
        "input_mins": [number(0.0), number(0.0)],
        "input_maxes": [number(1.0), number(2.0)],
    },
    "RandomGamma": {"shape": ints(2), "alpha": floats(2), **SEEDS},
    "RandomPoissonV2": {"shape": ints(2), "rate": floats(2), **SEEDS},
    "RandomShuffle": {"value": floats(3), **SEEDS},
    **{
        name: {"shape": ints(2), "dtype": FLOAT, **SEEDS}
        for name in ("RandomStandardNormal", "RandomUniform", "TruncatedNormal")
    },
    "RandomUniformInt": {
        "shape": ints(2),
        "minval": number(0, np.int32),
        "maxval": number(5, np.int32),
        **SEEDS,
    },
    "ReadFile": {"filename": Made("path", TEXT)},
    "ReadVariableOp": {"resource": variable(2), "dtype": FLOAT},
    "RegexReplace": {"input": words("ab", "c"), "pattern": TEXT, "rewrite": number("b", object)},
    **{
        f"Resize{how}": {"images": floats(1, 2, 2, 1), "size": ints(3, 3)}
        for how in ("Area", "Bicubic", "NearestNeighbor")
    },
    "ResourceCountUpTo": {
        "resource": Made("variable", number(1, np.int32)),
        "limit": 3,
        "T": {"type": "int32"},
    },
    "ResourceGather": {"resource": variable(3, 2), "indices": ints(0, 2), "dtype": FLOAT},
    "ResourceGatherNd": {
        "resource": variable(3, 2),
        "indices": np.array([[0, 1], [2, 0]], np.int32),
        "dtype": FLOAT,
    },
    **{
        f"ResourceScatter{what}": SCATTERED
        for what in ("Add", "Div", "Max", "Min", "Mul", "Sub", "Update")
    },
    **{f"ResourceScatterNd{what}": SCATTERED_ND for what in ("Add", "Max", "Min", "Sub", "Update")},
    "ResourceStridedSliceAssign": {
        "ref": variable(3, 2),
        "begin": ints(0, 0),
        "end": ints(2, 2),
        "strides": ints(1, 1),
        "value": floats(2, 2),
        "begin_mask": 0,
        "end_mask": 0,
        "ellipsis_mask": 0,
        "new_axis_mask": 0,
        "shrink_axis_mask": 0,
    },
    "RngReadAndSkip": {
        "resource": STATE,
        "alg": number(1, np.int32),
        "delta": number(2, np.uint64),
    },
    "SampleDistortedBoundingBoxV2": {
        "image_size": ints(4, 4, 1),
        "bounding_boxes": BOXES[None, :1],
        "min_object_covered": number(0.5),
        "aspect_ratio_range": [0.75, 1.5],
        "area_range": [0.25, 1.0],
        "max_attempts": 10,
        **SEEDS,
    },
    "ScaleAndTranslate": {"images": floats(1, 2, 2, 1), "size": ints(3, 3), **PLACED},
    "ScaleAndTranslateGrad": {
        "grads": floats(1, 3, 3, 1),
        "original_image": floats(1, 2, 2, 1),
        **PLACED,
    },
    "Squeeze": {"input": floats(1, 2, 1), "axis": [0, 2]},
    "SpaceToDepth": {"input": floats(1, 2, 2, 1), "block_size": 2},
    "StatefulRandomBinomial": {
        "resource": STATE,
        "algorithm": number(1, np.int64),
        "shape": ints(2),
        "counts": number(3.0),
        "probs": number(0.5),
    },
    **{
        f"Stateless{kind}V2": {
            "shape": ints(2, 3),
            "key": np.array([1], np.uint64),
            "counter": np.array([1, 2], np.uint64),
            "alg": number(1, np.int32),
            "dtype": FLOAT,
        }
        for kind in ("RandomNormal", "RandomUniform", "TruncatedNormal")
    },
    "StringNGrams": {
        "data": words("a", "b", "c"),
        "data_splits": longs(0, 3),
        "separator": " ",
        "ngram_widths": [2],
        "left_pad": "",
        "right_pad": "",
        "pad_width": 0,
        "preserve_short_sequences": False,
    },
    "StringSplitV2": {"input": words("a b", "c"), "sep": number(" ", object), "maxsplit": -1},
    "TensorListConcatLists": {"input_a": LIST, "input_b": LIST, "element_dtype": FLOAT},
    "TensorListConcatV2": {
        "input_handle": Made("tensor_list", floats(3, 2, 1)),
        "element_shape": ints(2, 1),
        "leading_dims": longs(2, 2, 2),
        "element_dtype": FLOAT,
    },
    "TensorListElementShape": {"input_handle": LIST, "shape_type": {"type": "int32"}},
    "TensorListGather": {"input_handle": LIST, "indices": ints(0, 2), **ELEMENT},
    "TensorListGetItem": {"input_handle": LIST, "index": number(1, np.int32), **ELEMENT},
    "TensorListLength": {"input_handle": LIST},
    "TensorListPopBack": {"input_handle": LIST, **ELEMENT},
    "TensorListPushBack": {"input_handle": LIST, "tensor": floats(2)},
    "TensorListResize": {"input_handle": LIST, "size": number(4, np.int32)},
    "TensorListScatterIntoExistingList": {
        "input_handle": LIST,
        "tensor": floats(2, 2),
        "indices": ints(0, 2),
    },
    "TensorListSetItem": {
        "input_handle": LIST,
        "index": number(1, np.int32),
        "item": floats(2),
    },
    "TensorListStack": {"input_handle": LIST, **ELEMENT, "num_elements": 3},
    "Transpose": {"x": floats(2, 3), "perm": ints(1, 0)},
    "UnicodeDecode": CHARACTERS,
    "UnicodeDecodeWithOffsets": CHARACTERS,
    "UnicodeEncode": {
        "input_values": ints(97, 98, 99),
        "input_splits": longs(0, 1, 3),
        "output_encoding": "UTF-8",
        "errors": "replace",
        "replacement_char": 65533,
    },
    "UniformCandidateSampler": SAMPLER,
    "UpperBound": {"sorted_inputs": floats(1, 3), "values": floats(1, 2)},
    "VarHandleOp": {"dtype": FLOAT, "shape": [2, 3]},
    "VarIsInitializedOp": {"resource": variable(2)},
    "VariableShape": {"input": variable(2), "out_type": {"type": "int32"}},
    "WriteFile": {"filename": Made("path", TEXT), "contents": TEXT},
    "WriteGraphSummary": {**EVENT, "tensor": number("", object)},
    "WriteRawProtoSummary": {**EVENT, "tensor": number("", object)},
    "WriteSummary": {**EVENT, "tensor": number(1.0), "tag": TEXT, "summary_metadata": TEXT},
}
