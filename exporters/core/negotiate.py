"""Which format and compression a client asked for (RFC 9110, sections 12.4 and 12.5)."""

TEXT = "text/plain; version=0.0.4; charset=utf-8"
OPENMETRICS = "application/openmetrics-text; version=1.0.0; charset=utf-8"


def _weights(header: str) -> list[tuple[str, float]]:
    """Return what a header names, lower-case, each with its q; nonsense counts as refused."""
    found = []
    for item in header.lower().split(","):
        name, *parameters = (part.strip() for part in item.split(";"))
        weight = 1.0
        for parameter in parameters:
            key, _, text = parameter.partition("=")
            if key.strip() == "q":
                try:
                    weight = float(text)
                except ValueError:
                    weight = 0.0
        if name:
            found.append((name, weight))
    return found


def wants_openmetrics(accept: str) -> bool:
    """Whether OpenMetrics is named, and no less liked than text."""
    weights = _weights(accept)
    openmetrics = max(
        (q for name, q in weights if name == "application/openmetrics-text"), default=0
    )
    text = max((q for name, q in weights if name == "text/plain"), default=0)
    return openmetrics > 0 and openmetrics >= text


def wants_gzip(accept_encoding: str) -> bool:
    """Whether the client takes gzip."""
    weights = dict(_weights(accept_encoding))
    return weights.get("gzip", weights.get("*", 0.0)) > 0
