"""Products of matrices."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["multiply"]


def multiply(left: NDArray[np.float32], right: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the product of finite matrices, ``left @ right``.

    Some BLAS kernels calculate with what lies in unused lanes of a register as well. It may not be
    a number, which NumPy reports as an invalid value although the product is right.
    """
    with np.errstate(invalid="ignore"):
        product: NDArray[np.float32] = left @ right
    return product
