"""
Push mode: the same metrics by OTLP over HTTP.

This costs nothing; ``pusher`` costs some 6 MB (OTLP's generated classes, http.client with ssl),
so it is imported where an endpoint is given and nowhere else.
"""

from exporters.otlp.options import OtlpOptions
from exporters.otlp.stats import METRICS

__all__ = ["METRICS", "OtlpOptions"]
