"""How the kernel names the GPUs of embedded chips, as data; a new one needs a line here."""

from fnmatch import fnmatchcase

# Devices of /sys/class/devfreq, and of cooling devices behind the prefix "devfreq-".
GPUS = (
    "*.gpu",  # Tegra X1, Orin from JetPack 6, boards of other makers: 57000000.gpu
    "*.g[abmpv][0-9]*b",  # JetPack 4 and 5: 17000000.gp10b, .gv11b, .ga10b
    "gpu-gpc-*",  # Thor: its graphics clusters
    "gpu-nvd-*",  # Thor: its video engines
    "*.mali",  # Arm's GPUs on some boards of other makers: e82c0000.mali
)


def is_gpu(device: str) -> bool:
    """Whether a devfreq device is a GPU, by its name."""
    return any(fnmatchcase(device, pattern) for pattern in GPUS)
