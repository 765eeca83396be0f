"""`tf.io`: bytes, files, images and serialized tensors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphwright.api import late

if TYPE_CHECKING:
    from graphwright.api.io import gfile
    from graphwright.library.io.example_parsing import (
        FixedLenFeature,
        FixedLenSequenceFeature,
        SparseFeature,
        VarLenFeature,
        parse_example,
        parse_single_example,
    )
    from graphwright.library.io.gfile import match_filenames_once
    from graphwright.library.io.graph_files import write_graph
    from graphwright.library.io.proto_coding import decode_proto, encode_proto
    from graphwright.library.io.ragged_partitions import RaggedFeature
    from graphwright.library.io.record_file import TFRecordOptions, TFRecordWriter
    from graphwright.library.io.sequence_parsing import (
        parse_sequence_example,
        parse_single_sequence_example,
    )
    from graphwright.library.io.serialization import parse_tensor, serialize_tensor
    from graphwright.library.io.sparse_serialization import (
        deserialize_many_sparse,
        serialize_many_sparse,
        serialize_sparse,
    )
    from graphwright.ops.image.image_files import (
        decode_and_crop_jpeg,
        decode_bmp,
        decode_gif,
        decode_image,
        decode_jpeg,
        decode_png,
        decode_webp,
        encode_jpeg,
        extract_jpeg_shape,
        is_jpeg,
    )
    from graphwright.ops.image.png import encode_png
    from graphwright.ops.io.example import decode_json_example
    from graphwright.ops.io.file_system import matching_files, read_file, write_file
    from graphwright.ops.io.raw_bytes import (
        decode_base64,
        decode_compressed,
        decode_raw,
        encode_base64,
    )
    from graphwright.ops.strings.csv import decode_csv

#: Modules that the first use of one of their names imports: most programs need few of them.
_LATE = {
    "graphwright.library.io.example_parsing": (
        "FixedLenFeature",
        "FixedLenSequenceFeature",
        "SparseFeature",
        "VarLenFeature",
        "parse_example",
        "parse_single_example",
    ),
    "graphwright.library.io.gfile": ("match_filenames_once",),
    "graphwright.library.io.graph_files": ("write_graph",),
    "graphwright.library.io.proto_coding": ("decode_proto", "encode_proto"),
    "graphwright.library.io.ragged_partitions": ("RaggedFeature",),
    "graphwright.library.io.record_file": ("TFRecordOptions", "TFRecordWriter"),
    "graphwright.library.io.sequence_parsing": (
        "parse_sequence_example",
        "parse_single_sequence_example",
    ),
    "graphwright.library.io.serialization": ("parse_tensor", "serialize_tensor"),
    "graphwright.library.io.sparse_serialization": (
        "deserialize_many_sparse",
        "serialize_many_sparse",
        "serialize_sparse",
    ),
    "graphwright.ops.image.image_files": (
        "decode_and_crop_jpeg",
        "decode_bmp",
        "decode_gif",
        "decode_image",
        "decode_jpeg",
        "decode_png",
        "decode_webp",
        "encode_jpeg",
        "extract_jpeg_shape",
        "is_jpeg",
    ),
    "graphwright.ops.image.png": ("encode_png",),
    "graphwright.ops.io.example": ("decode_json_example",),
    "graphwright.ops.io.file_system": ("matching_files", "read_file", "write_file"),
    "graphwright.ops.io.raw_bytes": (
        "decode_base64",
        "decode_compressed",
        "decode_raw",
        "encode_base64",
    ),
    "graphwright.ops.strings.csv": ("decode_csv",),
}

__getattr__ = late(__name__, _LATE, inside=["gfile"])

__all__ = (
    "FixedLenFeature",
    "FixedLenSequenceFeature",
    "RaggedFeature",
    "SparseFeature",
    "TFRecordOptions",
    "TFRecordWriter",
    "VarLenFeature",
    "decode_and_crop_jpeg",
    "decode_base64",
    "decode_bmp",
    "decode_compressed",
    "decode_csv",
    "decode_gif",
    "decode_image",
    "decode_jpeg",
    "decode_json_example",
    "decode_png",
    "decode_proto",
    "decode_raw",
    "decode_webp",
    "deserialize_many_sparse",
    "encode_base64",
    "encode_jpeg",
    "encode_png",
    "encode_proto",
    "extract_jpeg_shape",
    "gfile",
    "is_jpeg",
    "match_filenames_once",
    "matching_files",
    "parse_example",
    "parse_sequence_example",
    "parse_single_example",
    "parse_single_sequence_example",
    "parse_tensor",
    "read_file",
    "serialize_many_sparse",
    "serialize_sparse",
    "serialize_tensor",
    "write_file",
    "write_graph",
)
