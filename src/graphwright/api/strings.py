"""`tf.strings`: strings of bytes and of UTF-8 characters."""

from graphwright.ops.strings.encoding import (
    as_string,
    fingerprint,
    to_hash_bucket,
    to_hash_bucket_fast,
    to_hash_bucket_strong,
    to_number,
    unicode_script,
    unicode_transcode,
)
from graphwright.ops.strings.strings import (
    format,
    join,
    length,
    lower,
    reduce_join,
    regex_full_match,
    regex_replace,
    strip,
    substr,
    unsorted_segment_join,
    upper,
)
from graphwright.ragged.ragged_strings import (
    bytes_split,
    ngrams,
    split,
    unicode_decode,
    unicode_decode_with_offsets,
    unicode_encode,
    unicode_split,
    unicode_split_with_offsets,
)

__all__ = (
    "as_string",
    "bytes_split",
    "format",
    "join",
    "length",
    "lower",
    "ngrams",
    "reduce_join",
    "regex_full_match",
    "regex_replace",
    "split",
    "strip",
    "substr",
    "to_hash_bucket",
    "to_hash_bucket_fast",
    "to_hash_bucket_strong",
    "to_number",
    "unicode_decode",
    "unicode_decode_with_offsets",
    "unicode_encode",
    "unicode_script",
    "unicode_split",
    "unicode_split_with_offsets",
    "unicode_transcode",
    "unsorted_segment_join",
    "upper",
)

TOP_LEVEL = ("as_string", "fingerprint")
