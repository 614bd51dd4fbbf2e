"""The token bucket."""

from exporters.web.limit import Limiter


def test_tokens() -> None:
    """Two at once, then one in each half second, and never more than two after a long pause."""
    times = (0.0, 0.0, 0.0, 0.25, 0.5, 0.75, 1.0, 100.0, 100.0, 100.0)
    limiter = Limiter(0.5, 2, clock=iter((0.0, *times)).__next__)
    answers = [limiter.allows() for _ in times]

    assert [True, True, False, False, True, False, True, True, True, False] == answers
