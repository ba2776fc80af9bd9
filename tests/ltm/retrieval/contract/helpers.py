"""Helpers of the contract tests of recall stores."""

from __future__ import annotations

from tests.ltm.retrieval.store_contract import (
    ANN,
    ANN_ELSEWHERE,
    ANN_HOTELS,
    BEN,
    add_exchanges,
    compress,
    make_exchange,
    stack_vectors,
    vector,
)


def fill(store) -> None:
    """Everything that can be kept, of two users, two models and two tenants."""
    for key in (ANN, ANN_HOTELS, ANN_ELSEWHERE, BEN):
        ids = add_exchanges(
            store,
            key,
            make_exchange("secret one", "s", minute=1, slots={"x": ("y",)}),
            "two",
            "three",
        )
        store.put_vectors("m", ids, stack_vectors(*[vector(1, 0)] * 3))
        store.put_token_vectors("t", ids, [b"secret tokens"] * 3)
        assert compress(store, key, 2)
        assert compress(store, key, 1, level=2)
