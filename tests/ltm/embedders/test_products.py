import numpy as np

from anaphora.ltm.embedders.products import multiply


def test_a_product_says_nothing_of_invalid_values():
    # As a kernel reports that calculates with garbage in unused lanes of a register.
    assert np.isnan(multiply(np.array([[np.inf]], np.float32), np.zeros(1, np.float32))).all()


def test_matrices_and_vectors_are_multiplied():
    matrix = np.array([[1, 2], [3, 4]], np.float32)
    assert multiply(matrix, np.array([1, 10], np.float32)).tolist() == [21, 43]
    assert multiply(matrix, matrix.T).tolist() == [[5, 11], [11, 25]]
