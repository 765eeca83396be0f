"""The meaning of external names: TensorFlow's (`tf.`), NumPy's (`np.`) and Python's own."""

from __future__ import annotations

import re

from graphwright.lint import model
from graphwright.lint.kinds import Kind, words
from graphwright.lint.model import PossibleValue

#: Modules that are TensorFlow's API, under any name.
TENSORFLOW = re.compile(r"^(tensorflow|graphwright)(\.compat\.v[12])*(?=\.|$)")
KERAS = re.compile(r"^(keras|(\w+\.)*tf_keras|tensorflow\.python\.keras)(?=\.|$)")
NUMPY = re.compile(r"^numpy(?=\.|$)")
PRIVATE = {
    "tf.python.eager.def_function.function": "tf.function",
    "tf.python.eager.polymorphic_function.polymorphic_function.function": "tf.function",
    "tf.python.autograph.do_not_convert": "tf.autograph.experimental.do_not_convert",
}

#: Namespaces whose lower-case functions return tensors.
OPERATIONS = re.compile(
    r"tf\.((math|linalg|random|image|signal|strings|nn|bitwise|audio|quantization|raw_ops"
    r"|sparse|ragged|sets|debugging|losses|metrics|keras\.(losses|metrics|activations|ops)"
    r"|experimental\.numpy|random\.experimental|keras\.random|compat\.v1)\.)?[a-z]\w*"
    r"|tf\.keras\.backend\.(mean|sum|prod|abs|exp|log|sqrt|square|dot|batch_dot|max|min|maximum"
    r"|minimum|constant|ones|zeros|ones_like|zeros_like|reshape|transpose|softmax|sigmoid|relu|tanh"
    r"|cast|concatenate|expand_dims|squeeze|stack|clip|l2_normalize|random_uniform|random_normal)"
)
#: Lower-case names there that return something else.
NOT_TENSORS = re.compile(
    r"tf\.(as_dtype|config|compat|control_dependencies|device|executing_eagerly\w*|function"
    r"|get_\w+|init_scope|inside_function|is_tensor"
    r"|is_symbolic_tensor|load_library|load_op_library|name_scope|nest|no_gradient|print|py_function"
    r"|recompute_grad|custom_gradient|register_tensor_conversion_function|summary|type_spec_from_value"
    r"|variable_creator_scope|no_op|group|assert_\w+|version|sysconfig|test|errors"
    r"|variable_scope|placeholder|reset_default_graph|unstack|split"
    r"|dynamic_partition|meshgrid|unique|unique_with_counts|required_space_to_batch_paddings"
    r"|while_loop|cond|case|switch_case|map_fn|scan|foldl|foldr|vectorized_map|numpy_function"
    r"|gradients|hessians|(trainable|global|local|model|moving_average|all)_variables|nn\.(moments|top_k|ctc_\w+_decoder|max_pool_with_argmax|weighted_moments"
    r"|sufficient_statistics|normalize_moments|batch_normalization_with\w*|static_\w+|dynamic_rnn"
    r"|bidirectional_dynamic_rnn|raw_rnn|embedding_lookup_sparse|safe_embedding_lookup_sparse|"
    r"sampled_softmax_loss_with\w*)"
    r"|linalg\.(svd|eigh?|qr|lu|slogdet|normalize|global_norm\w*|logdet_\w+)"
    r"|strings\.(unicode_\w+_with_offsets)"
    r"|random\.(set_seed|get_global_generator|set_global_generator|create_rng_state|split|\w*_seed"
    r"|experimental\.\w*(seed|generator)\w*)"
    r"|image\.(sample_distorted_bounding_box|combined_non_max_suppression|\w*_with_\w+)"
    r"|debugging\.\w+|ragged\.(boolean_mask|\w*dispatch\w*|map_flat_values)|sparse\.(split|map_values)"
    r"|clip_by_global_norm|math\.(frexp|top_k|approx_\w+)|keras\.ops\.(shape|split|unstack"
    r"|meshgrid|is_tensor|convert_to_numpy|cond|while_loop|map|scan|fori_loop|switch|top_k|moments"
    r"|slogdet|svd|qr|eigh?|lu_factor|associative_scan|vectorized_map|custom_gradient|dtype)"
    r"|keras\.(losses|metrics|activations)\.(get|serialize|deserialize|register\w*)"
    r"|compat\.v1\.(get_\w+|\w*_scope|placeholder\w*|logging|flags|app|disable_\w+|enable_\w+"
    r"|global_\w+|\w*initializer\w*|add_to_collection|trainable_variables|wrap_function|py_func"
    r"|no_op|assert_\w+|is_tensor|summary|train|layers|estimator|set_random_seed|gfile|graph_util))"
    r"(\.\w+)*"
)
SEQUENCES = words(
    "tf.split tf.unstack tf.meshgrid tf.unique tf.unique_with_counts tf.dynamic_partition"
    " tf.nn.moments tf.nn.top_k tf.math.top_k tf.linalg.svd tf.linalg.eigh tf.linalg.eig"
    " tf.linalg.qr tf.linalg.lu tf.linalg.slogdet tf.nn.weighted_moments"
)
#: Functions that make a tensor or array of a shape; some make floats if no dtype is stated.
MAKERS = words(
    "tf.ones tf.zeros tf.fill tf.range tf.random.uniform tf.random.normal np.ones np.zeros"
    " np.arange"
)
OF_FLOATS = words("tf.ones tf.zeros tf.random.uniform tf.random.normal np.ones np.zeros")
DATASETS = re.compile(r"tf\.data\.(experimental\.)?(\w+Dataset|Dataset(\.\w+)?)")
#: Functions that Python runs at each execution, not while tracing.
HOST = words(
    "tf.py_function tf.numpy_function tf.py_func tf.compat.v1.py_func"
    " tf.data.Dataset.from_generator"
)
#: Functions and classes that make variables, at once or at the first call.
VARIABLES = re.compile(
    r"tf\.(Variable|compat\.v1\.get_variable|get_variable|compat\.v1\.Variable"
    r"|keras\.(Sequential|layers\.[A-Z]\w*|optimizers\.(\w+\.)*[A-Z]\w*|metrics\.[A-Z]\w*"
    r"|applications\.\w+(\.\w+)*|models\.Sequential))"
)
#: Keras stages these methods of its models and layers when it trains them.
KERAS_BASES = re.compile(r"tf\.keras\.(Model|Layer|models\.Model|layers\.\w+|Sequential)")
KERAS_METHODS = ("call", "train_step", "test_step", "predict_step")
#: Methods of datasets that trace their argument.
DATASET_METHODS = words("map filter flat_map interleave scan group_by_window take_while")
OPTIMIZERS = re.compile(r"tf\.keras\.optimizers\.(\w+\.)*[A-Z]\w*|tf\.optimizers\.[A-Z]\w*")
DTYPES = words(
    "float16 float32 float64 bfloat16 half double int8 int16 int32 int64 uint8 uint16"
    " uint32 uint64 bool string complex64 complex128"
)

NUMBER_FUNCTIONS = words("int float len abs round sum max min pow divmod hash id ord")
TEXT_FUNCTIONS = words("str repr format chr bytes input ascii hex bin oct")
BOOL_FUNCTIONS = words("bool isinstance issubclass callable hasattr any all")
CONTAINER_FUNCTIONS = words("list tuple set frozenset dict sorted vars dir")
ITERATOR_FUNCTIONS = words("open")


def canonical(path: str) -> str:
    """The one spelling of a name with many: `tensorflow.compat.v2.function` is `tf.function`."""
    path = KERAS.sub("tensorflow.keras", path)
    path = TENSORFLOW.sub("tf", path)
    path = NUMPY.sub("np", path)
    path = re.sub(r"^tf(\.compat\.v2|\.keras\.(src|api)(?=\.)|\.google)+(?=\.|$)", _merged, path)
    return PRIVATE.get(path, path)


def _merged(match: re.Match[str]) -> str:
    return "tf.keras" if ".keras" in match.group() else "tf"


def attribute(value: PossibleValue, name: str) -> PossibleValue:
    """The value of an attribute, where no class of this file defines it."""
    if value.kind & Kind.EXTERNAL:
        path = canonical(f"{value.path}.{name}")
        if path.split(".")[-1] in DTYPES and path.count(".") == 1:
            return PossibleValue(Kind.EXTERNAL, path=path, dtype=path.split(".")[1])
        if path in ("np.pi", "np.inf", "np.nan", "np.e", "math.pi", "math.e"):
            return model.NUMBER
        return model.external(path)
    if value.may(Kind.TENSOR | Kind.VARIABLE | Kind.NUMPY):
        return _of_array(value, name)
    return model.UNKNOWN


def _of_array(value: PossibleValue, name: str) -> PossibleValue:
    if name in ("ndim", "size", "nbytes"):
        return model.NUMBER
    if name in ("shape", "dtype", "name", "device", "graph", "op"):
        return model.UNKNOWN
    if name in ("T", "real", "imag", "flat_values", "values", "indices") and value.is_only(
        Kind.TENSOR | Kind.NUMPY
    ):
        return PossibleValue(value.kind)
    return model.UNKNOWN


def result(path: str) -> PossibleValue:
    """The value that a call of the external function or class `path` returns."""
    if path in SEQUENCES:
        return model.containing(model.TENSOR)
    if path == "tf.Variable" or path.endswith(".get_variable"):
        return PossibleValue(Kind.VARIABLE)
    if path == "tf.TensorArray":
        return PossibleValue(Kind.TENSOR_ARRAY)
    if DATASETS.fullmatch(path):
        return PossibleValue(Kind.DATASET)
    if path.startswith("tf."):
        return _of_tensorflow(path)
    if path.startswith("np."):
        return model.UNKNOWN if path.startswith(("np.random.", "np.testing.")) else model.NUMPY
    return _of_python(path)


def _of_tensorflow(path: str) -> PossibleValue:
    if path in ("tf.is_tensor", "tf.executing_eagerly", "tf.inside_function"):
        return model.BOOL
    last = path.rsplit(".", 1)[-1]
    if path in ("tf.keras.models.load_model", "tf.keras.models.clone_model"):
        return model.instance("tf.keras.Model")
    if last[0].isupper():
        return model.instance(path)
    if OPERATIONS.fullmatch(path) and not NOT_TENSORS.fullmatch(path):
        return model.TENSOR
    return model.UNKNOWN


def _of_python(path: str) -> PossibleValue:
    if path in NUMBER_FUNCTIONS or re.fullmatch(r"(math|time|random)\.\w+", path):
        return model.NUMBER
    if path in TEXT_FUNCTIONS:
        return model.TEXT
    if path in BOOL_FUNCTIONS:
        return model.BOOL
    if path in CONTAINER_FUNCTIONS or path in ("collections.defaultdict", "collections.deque"):
        return PossibleValue(Kind.CONTAINER)
    if path in ITERATOR_FUNCTIONS or path.startswith("itertools."):
        return model.ITERATOR
    return PossibleValue(Kind.UNKNOWN, path=path)
