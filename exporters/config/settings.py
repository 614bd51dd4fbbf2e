"""All settings, each with its default and what it does: docs/configuration.md is made from here."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from exporters.config.option import (
    address,
    boolean,
    choice,
    count,
    option,
    pairs,
    seconds,
    size,
    up_to,
)

SERVE = ("serve",)


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What a command was told, checked."""

    root: str | None = option(
        "root", None, "Answer from a recorded node in this folder instead of this machine.",
        metavar="DIR",
    )  # fmt: skip
    config_file: str | None = option(
        "config.file", None, "Read settings from this YAML file.", metavar="FILE"
    )
    log_level: str = option(
        "log.level", "info", "Log this and what is graver.",
        choice("debug", "info", "warning", "error"), "LEVEL",
    )  # fmt: skip
    listen: str = option("listen", "127.0.0.1:9749", "Serve here.", address, "HOST:PORT", SERVE)
    web_config_file: str | None = option(
        "web.config.file", None,
        "TLS, client certificates and basic auth, in the format of Prometheus's exporter-toolkit.",
        metavar="FILE", commands=SERVE,
    )  # fmt: skip
    output: str | None = option(
        "output", None, "Write there, all at once, instead of to standard output.",
        metavar="FILE", commands=("once",),
    )  # fmt: skip
    json: bool = option(
        "json", False, "Print JSON, for machines.", boolean, "", ("check",)  # noqa: FBT003  # a table
    )  # fmt: skip
    scrape_timeout: float = option(
        "scrape.timeout", 3.0, "Answer a scrape within this time, with what there is by then.",
        seconds, "TIME",
    )  # fmt: skip
    discovery_interval: float = option(
        "discovery.interval", 60.0, "Look for new devices so often where nothing announces them.",
        seconds, "TIME",
    )  # fmt: skip
    hotplug: str = option(
        "hotplug", "auto", "How to hear of devices that come and go.",
        choice("auto", "pyudev", "netlink", "off"), "WAY", SERVE,
    )  # fmt: skip
    max_series: int = option(
        "series.max", 10_000, "Series in one scrape; what is above is cut and counted.",
        count, "N",
    )  # fmt: skip
    max_series_per_collector: int = option(
        "series.max-per-collector", 2_000, "Series of one collector.", count, "N"
    )
    node_labels_file: str | None = option(
        "node.labels-file", None, "Read region, rack and zone from this file of NAME=VALUE lines.",
        metavar="FILE",
    )  # fmt: skip
    nvml_pulses: bool = option(
        "nvml.pulses", False,  # noqa: FBT003  # a table
        "Sample GPU memory, utilisation and PCIe throughput between scrapes.", boolean, "", SERVE,
    )  # fmt: skip
    nvml_pulses_hertz: int = option(
        "nvml.pulses-hertz", 20, "How often to sample for pulses.", up_to(1000), "HZ", SERVE
    )
    nvml_pcie_throughput: bool = option(
        "nvml.pcie-throughput", False,  # noqa: FBT003  # a table
        "Measure PCIe throughput in the background: 40 ms of each second for each GPU.",
        boolean, "", SERVE,
    )  # fmt: skip
    nvml_exit_on_lost: bool = option(
        "nvml.exit-on-lost", False,  # noqa: FBT003  # a table
        "End with status 3 when NVML is lost for good, so that the supervisor starts anew.",
        boolean, "", SERVE,
    )  # fmt: skip
    otlp_endpoint: str | None = option(
        "otlp.endpoint", None, "Push the same metrics to this OTLP/HTTP endpoint.",
        metavar="URL", commands=SERVE,
    )  # fmt: skip
    otlp_interval: float = option("otlp.interval", 15.0, "Push so often.", seconds, "TIME", SERVE)
    otlp_timeout: float = option(
        "otlp.timeout", 10.0, "Give up on one push after this time.", seconds, "TIME", SERVE
    )
    otlp_headers: Mapping[str, str] = option(
        "otlp.headers", {}, "Send these headers; give secrets in TAILSIGHT_OTLP_HEADERS.",
        pairs, "NAME=VALUE,...", SERVE,
    )  # fmt: skip
    otlp_compression: Literal["gzip", "none"] = option(
        "otlp.compression", "gzip", "Compress pushes.", choice("gzip", "none"), "HOW", SERVE
    )
    otlp_buffer: int = option(
        "otlp.buffer", 4 * 2**20, "Keep so much while the endpoint is away; the oldest goes first.",
        size, "SIZE", SERVE,
    )  # fmt: skip
    otlp_ca_file: str | None = option(
        "otlp.ca-file", None, "Trust this authority.", metavar="FILE", commands=SERVE
    )
    otlp_cert_file: str | None = option(
        "otlp.cert-file", None, "Show this certificate.", metavar="FILE", commands=SERVE
    )
    otlp_key_file: str | None = option(
        "otlp.key-file", None, "The certificate's key.", metavar="FILE", commands=SERVE
    )
    disable_defaults: bool = option(
        "collector.disable-defaults", False,  # noqa: FBT003  # a table
        "Run only the collectors that are switched on by name.", boolean, "",
    )  # fmt: skip
    collectors: Mapping[str, bool] = field(default_factory=dict)
    """What was said of single collectors: ``--collector.<name>``, ``--no-collector.<name>``."""
