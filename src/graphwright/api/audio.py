"""`tf.audio`: WAV files."""

from graphwright.ops.signal.audio import decode_wav, encode_wav

__all__ = ["decode_wav", "encode_wav"]
