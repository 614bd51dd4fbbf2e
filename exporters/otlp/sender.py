"""Sends what the buffer holds, in order, and waits while the endpoint does not take it."""

import logging
import os
import threading
from collections.abc import Callable
from typing import Protocol

from exporters.otlp.buffer import Buffer
from exporters.otlp.result import Dropped, Result
from exporters.otlp.stats import PushStats
from exporters.otlp.verdict import Answer, Verdict, judge

FIRST_WAIT = 1.0
LONGEST_WAIT = 30.0

log = logging.getLogger(__name__)


class Post(Protocol):
    """Sends a body; raises OSError where there is no answer."""

    def __call__(self, body: bytes) -> Answer:
        """Return the answer."""


def backoff(failures: int, share: float) -> float:
    """
    Return how many seconds to wait after so many failures in a row (1 or more).

    It doubles up to half a minute. ``share``, between 0 and 1, takes off up to a half, so that
    a fleet which lost its endpoint at once does not come back at once.
    """
    whole = min(FIRST_WAIT * 2.0 ** min(failures - 1, 16), LONGEST_WAIT)
    return whole * (1 - share / 2)


def chance() -> float:
    """Return an even share between 0 and 1."""
    return int.from_bytes(os.urandom(2)) / 0xFFFF


class Sender:
    """Runs in a thread of its own, so that a slow endpoint delays no scrape."""

    def __init__(  # noqa: PLR0913, PLR0917  # it joins the parts
        self,
        buffer: Buffer,
        post: Post,
        stats: PushStats,
        closing: threading.Event,
        where: str,
        now: Callable[[], float],
        share: Callable[[], float] = chance,
    ) -> None:
        """
        Connect the parts.

        Args:
            buffer: what to send.
            post: sends one body.
            stats: is told of every attempt.
            closing: what the waits between attempts end at.
            where: the endpoint, for the log.
            now: the time since the epoch, against which a Retry-After date is read.
            share: an even chance between 0 and 1.
        """
        self._buffer = buffer
        self._post = post
        self._stats = stats
        self._now = now
        self._share = share
        self._closing = closing
        self._where = where
        self._failures = 0
        self._said = ""

    def run(self) -> None:
        """Send until closed; then once more all that is left, until an attempt fails."""
        while (request := self._buffer.take()) is not None:
            verdict = self._attempt(request.body)
            self._account(verdict, request.points)
            if verdict.result is not Result.RETRY:
                self._failures = 0
                self._buffer.done()
                continue
            self._buffer.restore()
            if self._closing.is_set():
                return
            self._failures += 1
            wait = verdict.wait_seconds
            self._closing.wait(backoff(self._failures, self._share()) if wait is None else wait)

    def close(self) -> None:
        """Have ``run`` wait no more, and return soon."""
        self._closing.set()
        self._buffer.close()

    def _attempt(self, body: bytes) -> Verdict:
        try:
            answer = self._post(body)
        except OSError as error:
            return Verdict(Result.RETRY, str(error) or type(error).__name__)
        return judge(answer, self._now())

    def _account(self, verdict: Verdict, points: int) -> None:
        self._stats.sent(verdict.result, self._now())
        if verdict.result is Result.REFUSED:
            self._stats.dropped(Dropped.REFUSED, points)
        elif verdict.rejected:
            self._stats.dropped(Dropped.REJECTED, verdict.rejected)
        self._report(verdict)

    def _report(self, verdict: Verdict) -> None:
        """Log what changes, not every attempt."""
        said = f"{verdict.result}: {verdict.message}" if self._is_trouble(verdict) else ""
        if said == self._said:
            return
        if said:
            log.warning("push to %s: %s", self._where, said)
        else:
            log.info("push to %s: works again", self._where)
        self._said = said

    @staticmethod
    def _is_trouble(verdict: Verdict) -> bool:
        return verdict.result is not Result.SUCCESS or bool(verdict.message)
