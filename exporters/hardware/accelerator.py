"""
Which accelerator a node has, and with which driver, as far as files tell.

NVIDIA's driver lists the names that NVML gives to its GPUs, so that NVML need not be loaded.
"""

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from exporters.core import Failure, Root
from exporters.hardware import devfreq
from exporters.hardware.board import compatible, fitting
from exporters.hardware.board_types import INTEGRATED_GPUS
from exporters.hardware.drm import Card, find_cards
from exporters.hardware.facts import Facts, tidy
from exporters.hardware.gpu_names import is_gpu
from exporters.hardware.nvml.recorded import Recorded, recorded

L4T = "etc/nv_tegra_release"
NVIDIA_GPUS = "proc/driver/nvidia/gpus"
NVIDIA_VERSION = "proc/driver/nvidia/version"

# Makers of GPUs by their PCI numbers, those that more often are discrete ones first.
MAKERS = {"0x10de": "NVIDIA", "0x1002": "AMD", "0x8086": "Intel"}

_L4T = re.compile(r"R(\d+) \(release\), REVISION: (\d+(?:\.\d+)*)", re.ASCII)
_VERSION = re.compile(r"\b\d+(?:\.\d+)+\b", re.ASCII)
_MODEL = re.compile(r"^Model:(.*)$", re.MULTILINE)


class Gpu(NamedTuple):
    """A GPU with a render node, as its driver shows it."""

    name: str
    driver: str


def parse_l4t(text: str) -> str:
    """
    Return the version of Jetson Linux, such as ``36.4.3``, from ``/etc/nv_tegra_release``.

    Raises:
        ValueError: it tells none.
    """
    found = _L4T.search(text)
    if found is None:
        msg = f"no release of Jetson Linux: {text[:60]!r}"
        raise ValueError(msg)
    return f"{found[1]}.{found[2]}"


def parse_nvidia_version(text: str) -> str:
    """
    Return the version of NVIDIA's kernel driver, from ``/proc/driver/nvidia/version``.

    Raises:
        ValueError: it tells none.
    """
    found = _VERSION.search(text.partition("\n")[0])
    if found is None:
        msg = f"no version of a driver: {text[:60]!r}"
        raise ValueError(msg)
    return found[0]


def name(facts: Facts) -> str:
    """Return the accelerator's name; empty where there is none to be seen."""
    return (
        next(_nvidia_models(facts), "")
        or tidy(_recorded(facts).name)
        or fitting(INTEGRATED_GPUS, compatible(facts))
        or next((gpu.name for gpu in _gpus(facts)), "")
        or next(filter(is_gpu, _devfreq(facts)), "")
    )


def driver(facts: Facts) -> str:
    """Return the driver and its version; without the latter where it comes with the kernel."""
    sources: tuple[tuple[str, str, Callable[[str], str]], ...] = (
        ("L4T", L4T, parse_l4t),
        ("nvidia", NVIDIA_VERSION, parse_nvidia_version),
        ("nvidia", "sys/module/nvidia/version", tidy),
    )
    for called, path, parse in sources:
        if text := facts.raw(path):
            return f"{called} {facts.parsed(path, text, parse)}".rstrip()
    if version := tidy(_recorded(facts).driver):
        return f"nvidia {version}"
    used = next((gpu.driver for gpu in _gpus(facts) if gpu.driver), "")
    version = facts.first(f"sys/module/{used}/version") if used else ""
    return f"{used} {version}".rstrip()


def _devfreq(facts: Facts) -> Iterator[str]:
    for entry in facts.names(devfreq.FOLDER):
        yield devfreq.find_device(facts.root, entry).name


def _recorded(facts: Facts) -> Recorded:
    try:
        return recorded(facts.root)
    except ValueError as error:
        facts.failures.append(Failure("replay/nvml.json", error))
        return Recorded()


def _nvidia_models(facts: Facts) -> Iterator[str]:
    for folder in facts.names(NVIDIA_GPUS):
        if found := _MODEL.search(facts.raw(f"{NVIDIA_GPUS}/{folder}/information")):
            yield tidy(found[1])


def _gpus(facts: Facts) -> list[Gpu]:
    """Return the GPUs of ``/sys/class/drm``, by maker; nothing that only drives a display."""
    makers = list(MAKERS)
    found: list[tuple[int, Gpu]] = []
    for card in _cards(facts):
        device = f"{card.folder}/device"
        vendor = facts.raw(f"{device}/vendor")
        used = _driver_of(facts.root, device)
        if vendor in MAKERS:
            number = tidy(facts.raw(f"{device}/device")).removeprefix("0x")
            found.append((makers.index(vendor), Gpu(f"{MAKERS[vendor]} {number}".rstrip(), used)))
        elif used and any(one.startswith("renderD") for one in facts.names(f"{device}/drm")):
            found.append((len(makers), Gpu(used, used)))
    return [gpu for _, gpu in sorted(found, key=lambda one: one[0])]


def _cards(facts: Facts) -> Iterator[Card]:
    if facts.names("sys/class/drm"):
        yield from find_cards(facts.root)


def _driver_of(root: Root, device: str) -> str:
    link = f"{device}/driver"
    return root.resolve(link).rpartition("/")[2] if root.exists(link) else ""
