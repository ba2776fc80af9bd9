"""Set the wall clocks of processes, through a preloaded library."""

from __future__ import annotations

import mmap
import shutil
import struct
import subprocess
from pathlib import Path
from types import TracebackType
from typing import Self

__all__ = ["Clocks"]

_SOURCE = Path(__file__).with_name("wall_clock.c")
_OFFSET = struct.Struct("=q")


class Clocks:
    """The wall clocks of the processes that run in :attr:`environment`; a context manager with its
    files in ``folder``. Raises :class:`RuntimeError` without a C compiler."""

    def __init__(self, folder: Path) -> None:
        compiler = shutil.which("cc") or shutil.which("gcc")
        if compiler is None:
            raise RuntimeError("setting clocks needs a C compiler: apt-get install gcc libc6-dev")
        library, self._path = folder / "clock.so", folder / "clocks"
        command = [compiler, "-O2", "-shared", "-fPIC", "-o"]
        subprocess.run([*command, str(library), str(_SOURCE)], check=True)
        processes = int(Path("/proc/sys/kernel/pid_max").read_text("ascii"))
        with self._path.open("w+b") as file:
            file.truncate(_OFFSET.size * (processes + 1))  # a sparse file: it takes no room
            self._offsets = mmap.mmap(file.fileno(), 0)
        self.environment = {"LD_PRELOAD": str(library), "FAULTS_CLOCK": str(self._path)}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._offsets.close()

    def set(self, process: int, seconds: int) -> None:
        """Set the wall clock of a process ``seconds`` ahead of that of the machine."""
        _OFFSET.pack_into(self._offsets, process * _OFFSET.size, seconds)
