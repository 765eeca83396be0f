"""Where a variable lies in a larger one, of which it is saved as a slice."""

from __future__ import annotations

from collections.abc import Sequence


class SaveSliceInfo:
    """Says which slice of a larger variable a variable is.

    Args:
        full_name: The name of the larger variable.
        full_shape: Its shape, a list of ints.
        var_offset: Where the slice begins, an int for each axis.
        var_shape: The shape of the slice, a list of ints.
        save_slice_info_def: It must be None: there is no message of it.
        import_scope: A string, which has no effect.

    Raises:
        NotImplementedError: A message is given.

    >>> import graphwright as tf
    >>> rows = tf.Variable.SaveSliceInfo("table", [8, 2], [4, 0], [4, 2])
    >>> rows.spec
    '8 2 4,4:0,2'
    """

    def __init__(
        self,
        full_name: str | None = None,
        full_shape: Sequence[int] | None = None,
        var_offset: Sequence[int] | None = None,
        var_shape: Sequence[int] | None = None,
        save_slice_info_def: object = None,
        import_scope: str | None = None,
    ) -> None:
        if save_slice_info_def is not None:
            raise NotImplementedError(
                "`save_slice_info_def` is a message of TensorFlow 1: give the name, shapes and "
                "offset, as in SaveSliceInfo('table', [8, 2], [4, 0], [4, 2])."
            )
        self.full_name = full_name
        self.full_shape = full_shape
        self.var_offset = var_offset
        self.var_shape = var_shape

    @property
    def spec(self) -> str:
        """The shape of the larger variable, and for each axis the offset and length."""
        whole = " ".join([str(size) for size in self.full_shape or ()])
        places = zip(self.var_offset or (), self.var_shape or ())
        return f"{whole} {':'.join([f'{start},{length}' for start, length in places])}"
