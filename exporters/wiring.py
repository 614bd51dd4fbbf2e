"""Puts the parts together: which collectors, on which root, with which limits."""

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager

from exporters import __version__, clock, hardware, host
from exporters.clock import ClockOptions
from exporters.config.labels import read_labels
from exporters.config.load import ConfigError
from exporters.config.settings import Settings
from exporters.core.agent import Agent, Budget
from exporters.core.collector import Collector
from exporters.core.metric import Sample
from exporters.core.refresher import Refresher
from exporters.core.replay import ReplayRoot
from exporters.core.root import Root
from exporters.core.runner import Runner
from exporters.core.selfmetrics import SelfMetrics
from exporters.hardware.node import PLACE
from exporters.hardware.nvml import NvmlOptions
from exporters.host import HostOptions, Kubelet
from exporters.recordings import check_recording


def default_collectors() -> dict[str, bool]:
    """Return the names of all collectors, each with whether it runs unless told otherwise."""
    collectors = (
        *hardware.parts({}, NvmlOptions()).collectors,
        *host.parts(HostOptions()).collectors,
        *clock.collectors(ClockOptions()),
    )
    return {one.name: one.enabled for one in collectors}


@contextmanager
def assemble(
    settings: Settings,
    environment: Mapping[str, str],
    extra: Iterable[Callable[[], Iterable[Sample]]] = (),
    on_lost: Callable[[str], None] | None = None,
) -> Iterator[Agent]:
    """
    Yield the agent that the settings ask for; end its background parts afterwards.

    Args:
        settings: what the user said.
        environment: where the node's place (NODE_NAME, ...) is looked up.
        extra: whoever else has metrics of the agent itself to add to each scrape.
        on_lost: called with a reason when NVML is lost for good.

    Raises:
        ReplayError: the root folder cannot be used.
        ConfigError: the node labels file cannot be used.
    """
    root = recording(settings.root) if settings.root else Root()
    options = NvmlOptions(
        pulses=settings.nvml_pulses,
        pulses_hertz=settings.nvml_pulses_hertz,
        pcie_throughput=settings.nvml_pcie_throughput,
        on_lost=on_lost if settings.nvml_exit_on_lost else None,
    )
    with ExitStack() as stack:
        parts = hardware.parts(node_environment(settings, environment), options)
        stack.callback(parts.close)
        load = host.parts(host_options(settings))
        stack.callback(load.close)
        found = (*parts.collectors, *load.collectors, *clock.collectors(clock_options(settings)))
        runner = Runner(
            chosen(found, settings),
            root,
            settings.scrape_timeout,
            settings.discovery_interval,
        )
        stack.callback(runner.close)
        refresher = Refresher(runner)
        stack.callback(refresher.close)
        python = ".".join(map(str, sys.version_info[:3]))
        yield Agent(
            runner,
            SelfMetrics(__version__, python),
            Budget(settings.max_series, settings.max_series_per_collector),
            extra,
            refresher.scraped,
        )


def host_options(settings: Settings) -> HostOptions:
    """Return what of the host is looked at."""
    url = settings.kubelet_url
    return HostOptions(
        processes=settings.processes_max,
        gpu=settings.processes_gpu,
        command=settings.processes_command,
        cgroup=settings.processes_cgroup,
        numa_maps_seconds=(
            settings.processes_numa_maps_interval if settings.processes_numa_maps else None
        ),
        containers=settings.containers_max,
        kubelet=(
            Kubelet(url, settings.kubelet_token_file, settings.kubelet_ca_file) if url else None
        ),
    )


def clock_options(settings: Settings) -> ClockOptions:
    """Return where the daemons that keep time are asked."""
    return ClockOptions(
        ptp4l_sockets=settings.ptp4l_sockets,
        ptp4l_domain=settings.ptp4l_domain,
        ptp4l_transport=settings.ptp4l_transport,
        log_file=settings.ptp4l_log_file,
        chrony_address=settings.chrony_address,
    )


def recording(folder: str) -> ReplayRoot:
    """
    Return a recorded node, checked.

    Raises:
        ReplayError: it cannot be used.
    """
    root = ReplayRoot(folder)
    check_recording(root)
    return root


def node_environment(settings: Settings, environment: Mapping[str, str]) -> Mapping[str, str]:
    """
    Return where the node's name and place are looked up; a node labels file has the last word.

    Raises:
        ConfigError: the file cannot be used.
    """
    path = settings.node_labels_file
    if not path:
        return environment
    try:
        found = read_labels(path)
    except ValueError as error:
        msg = f"--node.labels-file {path}: {error}"
        raise ConfigError(msg) from None
    return {**environment, **{PLACE[label]: value for label, value in found.items()}}


def chosen(collectors: Iterable[Collector], settings: Settings) -> list[Collector]:
    """Return the collectors that are on: by name, else by default unless defaults are off."""
    return [
        one
        for one in collectors
        if settings.collectors.get(one.name, one.enabled and not settings.disable_defaults)
    ]
