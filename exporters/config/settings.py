"""All settings, each with its default and what it does: docs/configuration.md is made from here."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from exporters.clock.options import SOCKETS
from exporters.config.option import (
    address,
    address_or_path,
    between,
    boolean,
    choice,
    count,
    option,
    pairs,
    regex,
    seconds,
    size,
    up_to,
    url,
    words,
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
    time: bool = option(
        "time", False,  # noqa: FBT003  # a table
        "Say whether the clock is good enough, instead of what the node supports.",
        boolean, "", ("check",),
    )  # fmt: skip
    time_interval: float = option(
        "time.scrape-interval", 15.0, "With --time: how often this node is scraped.",
        seconds, "TIME", ("check",),
    )  # fmt: skip
    time_span: float = option(
        "time.span", 0.001, "With --time: the shortest span to be told apart across nodes.",
        seconds, "TIME", ("check",),
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
    processes_max: int = option(
        "processes.max", 64,
        "Groups of processes with series of their own; the rest together are other.",
        up_to(1000), "N",
    )  # fmt: skip
    processes_gpu: bool = option(
        "processes.gpu", True,  # noqa: FBT003  # a table
        "Watch the processes that hold a GPU device or have a GPU library mapped.", boolean, "",
    )  # fmt: skip
    processes_command: re.Pattern[str] | None = option(  # noqa: RUF009  # it is a field
        "processes.command", None, "Watch the processes whose command line has a match.",
        regex, "REGEX",
    )  # fmt: skip
    processes_cgroup: re.Pattern[str] | None = option(  # noqa: RUF009  # it is a field
        "processes.cgroup", None, "Watch the processes whose cgroup path has a match.",
        regex, "REGEX",
    )  # fmt: skip
    processes_numa_maps: bool = option(
        "processes.numa-maps", False,  # noqa: FBT003  # a table
        "Count the resident pages of watched processes by NUMA node; it stalls the process.",
        boolean, "",
    )  # fmt: skip
    processes_numa_maps_interval: float = option(
        "processes.numa-maps-interval", 300.0, "Count the pages of one process so often.",
        seconds, "TIME",
    )  # fmt: skip
    containers_max: int = option(
        "containers.max", 64,
        "Containers with series of their own; the rest together are other.", up_to(1000), "N",
    )  # fmt: skip
    kubelet_url: str | None = option(
        "kubelet.url", None,
        "Ask the kubelet for the names of pods and containers, such as https://127.0.0.1:10250.",
        url, "URL",
    )  # fmt: skip
    kubelet_token_file: str = option(
        "kubelet.token-file", "/var/run/secrets/kubernetes.io/serviceaccount/token",
        "Show the kubelet the token in this file.", metavar="FILE",
    )  # fmt: skip
    kubelet_ca_file: str | None = option(
        "kubelet.ca-file", None, "Trust this authority on the kubelet.", metavar="FILE"
    )
    ptp4l_sockets: tuple[str, ...] = option(
        "ptp4l.sockets", SOCKETS, "Ask ptp4l at the first of these that answers.",
        words, "PATH,...",
    )  # fmt: skip
    ptp4l_domain: int = option("ptp4l.domain", 0, "ptp4l's domainNumber.", between(0, 255), "N")
    ptp4l_transport: int = option(
        "ptp4l.transport", 0, "ptp4l's transportSpecific: 1 for 802.1AS.", between(0, 15), "N"
    )
    ptp4l_log_file: str | None = option(
        "ptp4l.log-file", None,
        "Read the servo state of ptp4l and phc2sys from the end of this file of their messages.",
        metavar="FILE",
    )  # fmt: skip
    chrony_address: str = option(
        "chrony.address", "127.0.0.1:323", "Ask chronyd there: HOST:PORT, or its socket's path.",
        address_or_path, "ADDRESS",
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
