from graphwright.data.dataset import Dataset as Dataset
from graphwright.values.tensor import Tensor as Tensor
