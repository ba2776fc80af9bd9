"""Stands for PyTorch in the processes that tests start, see :mod:`tests.support.without_torch`."""

raise ImportError("the processes that tests start have no PyTorch")
