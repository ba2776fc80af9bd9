"""A projection of token vectors to fewer dimensions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from anaphora.ltm.embedders.embedder import Vectors
from anaphora.ltm.embedders.products import multiply

__all__ = ["TokenProjection", "normalize_rows"]

_DIMENSION = 96


@dataclass(frozen=True, slots=True)
class TokenProjection:
    """Projects vectors to the principal components of others: subtracts their ``mean`` and
    multiplies by the ``basis``."""

    mean: Vectors
    basis: Vectors

    @classmethod
    def fit(cls, vectors: Vectors) -> TokenProjection:
        """Fit to a sample of vectors. Almost equal samples give almost equal projections: each
        component has the sign that makes its largest coordinate positive."""
        rows = normalize_rows(vectors).astype(np.float64)
        mean = rows.mean(0)
        _, components = np.linalg.eigh((rows - mean).T @ (rows - mean))
        basis = components[:, ::-1][:, :_DIMENSION]
        largest = basis[np.abs(basis).argmax(0), np.arange(basis.shape[1])]
        return cls(mean.astype(np.float32), (basis * np.sign(largest)).astype(np.float32))

    def project(self, vectors: Vectors) -> Vectors:
        """Return the projected vectors, each of length 1."""
        centered: Vectors = normalize_rows(vectors) - self.mean
        projected: Vectors = multiply(centered, self.basis)
        return normalize_rows(projected)


def normalize_rows(vectors: Vectors) -> Vectors:
    """Return the vectors with length 1."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    # Newer versions of NumPy declare the quotient as float64.
    unit: Vectors = (vectors / np.maximum(lengths, np.float32(1e-9))).astype(np.float32, copy=False)
    return unit
