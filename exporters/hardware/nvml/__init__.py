"""Discrete NVIDIA GPUs, through NVML (https://docs.nvidia.com/deploy/nvml-api/)."""

from exporters.hardware.nvml.collector import NvmlParts, parts
from exporters.hardware.nvml.options import NvmlOptions
from exporters.hardware.nvml.replay import Replay

__all__ = ["NvmlOptions", "NvmlParts", "Replay", "parts"]
