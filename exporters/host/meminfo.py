"""
The fields of ``/proc/meminfo`` and of a NUMA node's ``meminfo``, and how to read them.

A kernel that lacks a field gives no series for it. NvMap fields are of NVIDIA's Jetson kernels,
whose GPU shares the node's memory. https://docs.kernel.org/filesystems/proc.html#meminfo
"""

import re
from collections.abc import Container, Mapping
from types import MappingProxyType

from exporters.hardware.numbers import integer

_KIBI = 1024
_OF_NODE = re.compile(r"(?a:Node \d+ )")

BYTES: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "MemTotal": ("total", "Memory that the kernel can use."),
        "MemFree": ("free", "Memory that nothing uses, not even a cache."),
        "MemAvailable": ("available", "Memory that programs can get without swapping, estimated."),
        "Buffers": ("buffers", "Cache of raw disk blocks."),
        "Cached": ("cached", "Page cache, with shared memory and without the swap cache."),
        "SwapCached": ("swap_cached", "Memory that is still in swap, too."),
        "Active": ("active", "Memory used lately, which is reclaimed last."),
        "Inactive": ("inactive", "Memory not used lately, which is reclaimed first."),
        "Active(anon)": ("active_anon", "Active memory without a file behind it."),
        "Inactive(anon)": ("inactive_anon", "Inactive memory without a file behind it."),
        "Active(file)": ("active_file", "Active page cache."),
        "Inactive(file)": ("inactive_file", "Inactive page cache."),
        "Unevictable": ("unevictable", "Memory that cannot be reclaimed."),
        "Mlocked": ("mlocked", "Memory that programs have locked."),
        "SwapTotal": ("swap_total", "Size of all swap."),
        "SwapFree": ("swap_free", "Swap that is not in use."),
        "Zswap": ("zswap", "Memory that compressed swap takes."),
        "Zswapped": ("zswapped", "Size of what zswap holds, before its compression."),
        "Dirty": ("dirty", "Page cache that waits to be written to disk."),
        "Writeback": ("writeback", "Page cache that is being written to disk."),
        "AnonPages": ("anon_pages", "Mapped memory without a file behind it."),
        "Mapped": ("mapped", "Files that are mapped, such as libraries."),
        "Shmem": ("shmem", "Shared memory and tmpfs."),
        "KReclaimable": ("kernel_reclaimable", "Kernel memory that can be reclaimed."),
        "Slab": ("slab", "Memory of the kernel's data structures."),
        "SReclaimable": ("slab_reclaimable", "Slab that can be reclaimed, such as caches."),
        "SUnreclaim": ("slab_unreclaimable", "Slab that cannot be reclaimed."),
        "KernelStack": ("kernel_stack", "Kernel stacks of all tasks."),
        "PageTables": ("page_tables", "Page tables of user space."),
        "CommitLimit": ("commit_limit", "What may be committed where overcommit is strict."),
        "Committed_AS": ("committed", "What programs have asked for, used or not."),
        "VmallocUsed": ("vmalloc_used", "Memory that the kernel has mapped with vmalloc."),
        "Percpu": ("percpu", "Memory of the kernel's data for each CPU."),
        "HardwareCorrupted": ("hardware_corrupted", "Faulty memory that was taken out of use."),
        "AnonHugePages": ("anon_huge_pages", "Anonymous memory in transparent huge pages."),
        "ShmemHugePages": ("shmem_huge_pages", "Shared memory in transparent huge pages."),
        "FileHugePages": ("file_huge_pages", "Page cache in transparent huge pages."),
        "CmaTotal": ("cma_total", "Memory kept for devices that need it in one piece (CMA)."),
        "CmaFree": ("cma_free", "CMA memory that no device uses."),
        "Hugepagesize": ("huge_page_size", "Size of the default huge page."),
        "Hugetlb": ("hugetlb", "Memory in the pools of huge pages of all sizes."),
        "NvMapMemFree": ("nvmap_free", "Memory that the engines of a Tegra can still get."),
        "NvMapMemUsed": ("nvmap_used", "Memory that the engines of a Tegra hold."),
    }
)
"""Fields in kB: the subject of their metric, and its help."""
PAGES: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "HugePages_Total": ("huge_pages", "Huge pages of the default size in their pool."),
        "HugePages_Free": ("huge_pages_free", "Huge pages of the pool that are not in use."),
        "HugePages_Rsvd": ("huge_pages_reserved", "Huge pages promised and not yet in use."),
        "HugePages_Surp": ("huge_pages_surplus", "Huge pages beyond the size set for the pool."),
    }
)
"""Fields that count pages, the same way."""
NODE_BYTES: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "MemUsed": ("used", "Memory in use, caches included."),
        "FilePages": ("file_pages", "Page cache, with shared memory."),
    }
)
"""Fields in kB that only the nodes have."""

_IN_KB = BYTES.keys() | NODE_BYTES.keys()


def parse_meminfo(text: str, wanted: Container[str]) -> dict[str, int]:
    """
    Return the wanted fields that are there: bytes, or pages where they count pages.

    Raises:
        ValueError: there is none of them, or one is not what the kernel prints.
    """
    found = {}
    for line in text.split("\n"):
        key, _, rest = _OF_NODE.sub("", line, 1).partition(":")
        if key in wanted:
            found[key] = _in_kb(rest) if key in _IN_KB else integer(rest.strip(" "))
            if found[key] < 0:
                msg = f"less than none: {line[:80]!r}"
                raise ValueError(msg)
    if not found:
        msg = f"no field of meminfo in {text[:80]!r}"
        raise ValueError(msg)
    return found


def _in_kb(text: str) -> int:
    number, _, unit = text.lstrip(" ").partition(" ")
    if unit != "kB":
        msg = f"not in kB: {text[:40]!r}"
        raise ValueError(msg)
    return integer(number) * _KIBI
