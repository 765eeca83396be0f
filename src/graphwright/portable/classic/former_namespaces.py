"""Namespaces of TensorFlow 1 that are gone: their names stand elsewhere now."""

from __future__ import annotations

import functools
from types import ModuleType
from typing import Any

from graphwright.library.presence.absent_names import absence
from graphwright.portable.classic.former_signatures import at, signatures, with_former_signature

#: Names by namespace; after `=` stands the path of today, else it is in the namespace's parent.
FORMER = {
    "gfile": """
    Copy=io.gfile.copy DeleteRecursively=io.gfile.rmtree Exists=io.gfile.exists
    FastGFile=io.gfile.GFile GFile=io.gfile.GFile Glob=io.gfile.glob IsDirectory=io.gfile.isdir
    ListDirectory=io.gfile.listdir MakeDirs=io.gfile.makedirs MkDir=io.gfile.mkdir
    Open=io.gfile.GFile Remove=io.gfile.remove Rename=io.gfile.rename Stat=io.gfile.stat
    Walk=io.gfile.walk
    """,
    "initializers": """
    constant=compat.v1.constant_initializer global_variables=compat.v1.global_variables_initializer
    glorot_normal=compat.v1.glorot_normal_initializer
    glorot_uniform=compat.v1.glorot_uniform_initializer
    local_variables=compat.v1.local_variables_initializer ones=compat.v1.ones_initializer
    random_normal=compat.v1.random_normal_initializer
    random_uniform=compat.v1.random_uniform_initializer
    tables_initializer=compat.v1.tables_initializer
    truncated_normal=compat.v1.truncated_normal_initializer
    variables=compat.v1.variables_initializer
    variance_scaling=compat.v1.variance_scaling_initializer zeros=compat.v1.zeros_initializer
    """,
    "manip": """
    gather_nd=gather_nd reshape=reshape reverse=reverse roll=roll scatter_nd=scatter_nd
    space_to_batch_nd=space_to_batch_nd tile=tile
    """,
    "python_io": """
    TFRecordOptions=io.TFRecordOptions TFRecordWriter=io.TFRecordWriter
    tf_record_iterator=compat.v1.io.tf_record_iterator
    """,
    "saved_model.constants": """
    ASSETS_DIRECTORY ASSETS_KEY DEBUG_DIRECTORY DEBUG_INFO_FILENAME_PB
    LEGACY_INIT_OP_KEY=compat.v1.saved_model.LEGACY_INIT_OP_KEY
    MAIN_OP_KEY=compat.v1.saved_model.MAIN_OP_KEY SAVED_MODEL_FILENAME_PB
    SAVED_MODEL_FILENAME_PBTXT SAVED_MODEL_SCHEMA_VERSION VARIABLES_DIRECTORY VARIABLES_FILENAME
    """,
    "saved_model.signature_constants": """
    CLASSIFY_INPUTS CLASSIFY_METHOD_NAME CLASSIFY_OUTPUT_CLASSES CLASSIFY_OUTPUT_SCORES
    DEFAULT_SERVING_SIGNATURE_DEF_KEY PREDICT_INPUTS PREDICT_METHOD_NAME PREDICT_OUTPUTS
    REGRESS_INPUTS REGRESS_METHOD_NAME REGRESS_OUTPUTS
    """,
    "saved_model.tag_constants": "GPU SERVING TPU TRAINING",
    "spectral": """
    dct=signal.dct fft=signal.fft fft2d=signal.fft2d fft3d=signal.fft3d idct=signal.idct
    ifft=signal.ifft ifft2d=signal.ifft2d ifft3d=signal.ifft3d irfft=signal.irfft
    irfft2d=signal.irfft2d irfft3d=signal.irfft3d rfft=signal.rfft rfft2d=signal.rfft2d
    rfft3d=signal.rfft3d
    """,
}


def unknown(module: ModuleType, name: str) -> AttributeError:
    """The error for a name that a namespace has not; it says what to use in its place."""
    title = module.__name__
    words = absence(f"{title.removeprefix('graphwright.')}.{name}")
    if words:  # of what is absent Python need not guess the name
        return AttributeError(words, name=name, obj=None)
    return AttributeError(f"module {title!r} has no attribute {name!r}", name=name, obj=module)


@functools.cache
def former(path: str) -> ModuleType:
    """The namespace at a path below `tf.compat.v1`; KeyError where there is none.

    >>> import graphwright as tf
    >>> former("saved_model.tag_constants").SERVING
    'serve'
    """
    title = f"graphwright.compat.v1.{path}"
    home = path.partition(".")[0]
    places = {}
    for entry in FORMER[path].split():
        name, _, place = entry.partition("=")
        places[name] = place or f"{home}.{name}"
    inner = [p.rpartition(".")[2] for p in FORMER if p.rpartition(".")[0] == path]
    module = ModuleType(title, f"Names of TensorFlow 1's `tf.{path}`, which stand elsewhere now.")

    def find(name: str) -> Any:
        if name in inner:
            return former(f"{path}.{name}")
        if f"{path}.{name}" in signatures():
            return with_former_signature(f"{path}.{name}")
        if name in places:
            return at(places[name])
        raise unknown(module, name)

    offered = sorted([*places, *inner])
    vars(module).update(__getattr__=find, __dir__=lambda: offered, __all__=offered)
    return module
