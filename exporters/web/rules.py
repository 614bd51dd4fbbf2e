"""One version of the web configuration, ready to be applied to connections and requests."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from exporters.web.limit import Limiter
from exporters.web.request import Request
from exporters.web.response import Header, Response, plain
from exporters.web.stream import Wrap, not_wrapped
from exporters.web.webconfig import WebConfig

if TYPE_CHECKING:
    from exporters.web.auth import BasicAuth


@dataclass(frozen=True, slots=True)
class Rules:
    """What holds for those who connect."""

    config: WebConfig
    wrap: Wrap
    headers: tuple[Header, ...]
    limiter: Limiter | None
    auth: "BasicAuth | None"

    def refusal(self, request: Request) -> Response | None:
        """Return the response to a request that may not come in; None for one that may."""
        if self.limiter and not self.limiter.allows():
            return plain(429, "above rate_limit of the web configuration")
        if self.auth and not self.auth.allows(request.header("authorization")):
            from exporters.web.auth import CHALLENGE  # noqa: PLC0415  # loaded with the users

            return plain(401, "wants user and password", [CHALLENGE])
        return None


def make_rules(config: WebConfig, linked: Mapping[str, int]) -> Rules:
    """
    Load what a configuration names. TLS and digests are imported for those alone who use them.

    Args:
        config: the file's content.
        linked: addresses of C functions that are linked into the program, by name.

    Raises:
        ValueError: a certificate or key is missing or wrong, or there is no bcrypt.
    """
    limit, auth = config.rate_limit, None
    wrap: Wrap = not_wrapped
    if config.tls:
        from exporters.web.tls import tls_wrap  # noqa: PLC0415  # see above

        wrap = tls_wrap(config.tls)
    if config.users:
        from exporters.web.auth import BasicAuth  # noqa: PLC0415  # see above
        from exporters.web.bcrypt import find_crypt  # noqa: PLC0415  # see above

        auth = BasicAuth(config.users, find_crypt(linked))
    return Rules(
        config,
        wrap,
        tuple(config.headers.items()),
        Limiter(limit.interval_seconds, limit.burst) if limit else None,
        auth,
    )
