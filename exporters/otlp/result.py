"""What can become of a push; the words are label values."""

from enum import StrEnum


class Result(StrEnum):
    """What became of one request."""

    SUCCESS = "success"
    PARTIAL = "partial"
    """Taken, but for some points."""
    RETRY = "retry"
    """Not taken now; to be sent again."""
    REFUSED = "refused"
    """Not taken, and never to be sent again."""


class Dropped(StrEnum):
    """Why data never arrived."""

    BUFFER_FULL = "buffer_full"
    """The endpoint was away for so long that newer data took the room."""
    TOO_OLD = "too_old"
    """It was away for longer than data is kept."""
    REFUSED = "refused"
    """The endpoint refused the request for good."""
    REJECTED = "rejected"
    """The endpoint took the request without these points."""
