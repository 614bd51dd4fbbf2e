"""
One use of NVML: initialised by the process that reads, and anew when it was lost.

What can be lost, and what helps: docs/nvml.md.
"""

import math
import os
from collections.abc import Callable, Sequence
from contextlib import suppress

from exporters.core import Root
from exporters.hardware.nvml.errors import NvmlError
from exporters.hardware.nvml.gate import Gate
from exporters.hardware.nvml.gpu import Gpu
from exporters.hardware.nvml.interface import Nvml

FIRST_WAIT_SECONDS = 5.0
LONGEST_WAIT_SECONDS = 60.0
# Longer than any call that a sampler makes.
_GATE_SECONDS = 1.0


class Session:
    """Whether NVML can be asked, since when it cannot, and when to try again."""

    def __init__(self, backend: Callable[[Root], Nvml]) -> None:
        self.gate = Gate()
        self.gpus: Sequence[Gpu] = ()
        """What was found last; background samplers ask these, too."""
        self.worked = False
        """Whether it did answer once."""
        self.attempts = 0
        """How often it was initialised since it answered last."""
        self.generation = 0
        """Goes up whenever NVML was initialised: handles and events of before are void."""
        self._backend = backend
        self._nvml: Nvml | None = None
        self._started = False
        self._missing: NvmlError | None = None
        self._process = 0
        self._wait = 0.0
        self._due = -math.inf

    def open(self, root: Root) -> Nvml:
        """
        Return NVML, initialised, and anew where it was lost and it is time to try again.

        The state of NVML does not survive a fork, so a child begins anew as well.

        Raises:
            NvmlError: it cannot be initialised, or could not a short while ago.
            TimeoutError: a background call hangs in it.
        """
        forked = self._process != os.getpid()
        if self._nvml and self._started and not forked and not self.trouble():
            return self._nvml
        if forked or root.monotonic() >= self._due:
            return self._begin(root)
        if self._nvml and self._started:
            # Some GPUs are lost; the others still answer.
            return self._nvml
        raise self._missing or NvmlError(1, "Uninitialized")

    def found(self, gpus: Sequence[Gpu], missing: NvmlError | None) -> None:
        """Remember which GPUs there are, and why some, or all, could not be listed."""
        self.gpus, self._missing = gpus, missing

    def trouble(self) -> NvmlError | None:
        """Return why NVML or any GPU cannot be asked, or None while all is well."""
        lost = (gpu.trouble for gpu in self.gpus)
        return self._missing or next(filter(None, lost), None)

    def settle(self) -> None:
        """Take note that everything answered."""
        self.worked = True
        self.attempts, self._wait, self._due = 0, 0.0, -math.inf

    def _begin(self, root: Root) -> Nvml:
        self._wait = min(max(2 * self._wait, FIRST_WAIT_SECONDS), LONGEST_WAIT_SECONDS)
        self._due = root.monotonic() + self._wait
        self.attempts += 1
        if self._process != os.getpid():
            # Its threads, and with them whoever was inside, stayed with the parent.
            self.gate = Gate()
        self._process = os.getpid()
        if self._nvml is None:
            self._nvml = self._backend(root)
        with self.gate.shut(_GATE_SECONDS):
            self._stop(self._nvml)
            try:
                self._nvml.start()
            except NvmlError as error:
                self._missing = error
                raise
            self._missing, self._started = None, True
            self.generation += 1
            return self._nvml

    def _stop(self, nvml: Nvml) -> None:
        self.gpus = ()
        if not self._started:
            return
        self._started = False
        # What is lost cannot be shut down.
        with suppress(NvmlError):
            nvml.stop()
