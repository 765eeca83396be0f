"""`tf.io`: bytes, files and serialized tensors."""

from graphwright.edge.record_file import TFRecordOptions, TFRecordWriter
from graphwright.edge.serialization import parse_tensor, serialize_tensor
from graphwright.ops.io import decode_base64, decode_raw, encode_base64, read_file, write_file
from graphwright.ops.png import encode_png

__all__ = (
    "TFRecordOptions",
    "TFRecordWriter",
    "decode_base64",
    "decode_raw",
    "encode_base64",
    "encode_png",
    "parse_tensor",
    "read_file",
    "serialize_tensor",
    "write_file",
)
