"""
Which board, module, chip or firmware name belongs to which type of hardware: data, no more.

A type is what one selects nodes by: few values, in lower case. An unknown board of a known chip
has the chip's type, an unknown chip that of its processor's architecture.
"""

Rows = tuple[tuple[str, str], ...]

# Patterns for the names of a board, in lower case: what its device tree is compatible with, its
# model, and what DMI calls system and mainboard. The first row that fits any of the names counts,
# so modules stand before the marketing names that a carrier board has for several of them, and
# these before chips. Module numbers: Linux, Documentation/devicetree/bindings/arm/tegra.yaml, and
# NVIDIA's Jetson Linux developer guides.
NAMES: Rows = (
    ("nvidia,*p3834-*", "jetson-agx-thor"),
    ("nvidia,*p3767-000[012]*", "jetson-orin-nx"),
    ("nvidia,*p3767-*", "jetson-orin-nano"),
    ("nvidia,*p3701-*", "jetson-agx-orin"),
    ("nvidia,*p3668-*", "jetson-xavier-nx"),
    ("nvidia,*p2888-*", "jetson-agx-xavier"),
    ("nvidia,*p2972-*", "jetson-agx-xavier"),
    ("nvidia,*p3636-*", "jetson-tx2-nx"),
    ("nvidia,*p3310-*", "jetson-tx2"),
    ("nvidia,*p3489-*", "jetson-tx2"),
    ("nvidia,*p2180*", "jetson-tx1"),
    ("nvidia,*p3448-*", "jetson-nano"),
    ("nvidia,*p3450-*", "jetson-nano"),
    ("nvidia,jetson-nano", "jetson-nano"),
    ("nvidia,jetson-xavier", "jetson-agx-xavier"),
    ("*jetson*thor*", "jetson-agx-thor"),
    ("*jetson*orin nano*", "jetson-orin-nano"),
    ("*jetson*orin nx*", "jetson-orin-nx"),
    ("*jetson*agx orin*", "jetson-agx-orin"),
    ("*jetson*xavier nx*", "jetson-xavier-nx"),
    ("*jetson*agx xavier*", "jetson-agx-xavier"),
    ("*jetson*tx2*", "jetson-tx2"),
    ("*jetson*tx1*", "jetson-tx1"),
    ("*jetson*nano*", "jetson-nano"),
    ("nvidia,tegra264", "jetson-thor"),
    ("nvidia,tegra234", "jetson-orin"),
    ("nvidia,tegra194", "jetson-xavier"),
    ("nvidia,tegra186", "jetson-tx2"),
    ("nvidia,tegra*", "jetson"),
    ("*dgx?spark*", "dgx-spark"),
    ("raspberrypi,5*", "raspberry-pi-5"),
    ("raspberrypi,4*", "raspberry-pi-4"),
    ("raspberrypi,3*", "raspberry-pi-3"),
    ("raspberrypi,*", "raspberry-pi"),
    ("raspberry pi 5*", "raspberry-pi-5"),
    ("raspberry pi 4*", "raspberry-pi-4"),
    ("raspberry pi*", "raspberry-pi"),
    ("brcm,bcm2*", "raspberry-pi"),
    ("rockchip,rk3588*", "rockchip-rk3588"),
    ("rockchip,*", "rockchip"),
    ("fsl,imx*", "nxp-imx"),
    ("mediatek,*", "mediatek"),
    ("qcom,*", "qualcomm"),
    ("amlogic,*", "amlogic"),
    ("ti,am6*", "ti-am6"),
    ("ti,j7*", "ti-j7"),
    ("xlnx,zynqmp*", "xilinx-zynqmp"),
    ("nuc[0-9]*", "intel-nuc"),
    ("* nuc *", "intel-nuc"),
    ("* nuc[0-9]*", "intel-nuc"),
    ("linux,dummy-virt", "virtual-machine"),
    ("standard pc*", "virtual-machine"),
    ("qemu*", "virtual-machine"),
    ("kvm*", "virtual-machine"),
    ("vmware*", "virtual-machine"),
    ("virtualbox*", "virtual-machine"),
    ("virtual machine*", "virtual-machine"),
    ("hvm domu*", "virtual-machine"),
    ("amazon ec2*", "virtual-machine"),
    ("google compute engine*", "virtual-machine"),
)

# What tells the architecture: a file, and a pattern for what is in it.
ARCHITECTURES: tuple[tuple[str, str, str], ...] = (
    ("proc/sys/kernel/arch", "x86_64", "x86"),
    ("proc/sys/kernel/arch", "i?86", "x86"),
    ("proc/sys/kernel/arch", "aarch64", "arm64"),
    ("proc/sys/kernel/arch", "arm*", "arm"),
    ("proc/sys/kernel/arch", "riscv64", "riscv64"),
    ("sys/devices/system/cpu/modalias", "cpu:type:x86*", "x86"),
    ("sys/devices/system/cpu/modalias", "cpu:type:aarch64*", "arm64"),
    ("sys/devices/system/cpu/modalias", "cpu:type:arm*", "arm"),
    ("proc/cpuinfo", "*vendor_id*", "x86"),
    ("proc/cpuinfo", "*cpu architecture*: 8*", "arm64"),
    ("proc/cpuinfo", "*cpu architecture*: 7*", "arm"),
)
# Where none of these does: what only machines of an architecture have.
ONLY_ON: Rows = (
    ("sys/devices/system/cpu/intel_pstate", "x86"),
    ("sys/devices/system/cpu/cpu0/thermal_throttle", "x86"),
    ("sys/class/powercap/intel-rapl:0", "x86"),
    ("proc/device-tree/compatible", "arm64"),
    ("sys/firmware/devicetree/base/compatible", "arm64"),
    ("sys/class/dmi/id", "x86"),
)

# The GPUs that are part of a chip, which none of its files names.
INTEGRATED_GPUS: Rows = (
    ("nvidia,tegra210", "NVIDIA GM20B"),
    ("nvidia,tegra186", "NVIDIA GP10B"),
    ("nvidia,tegra194", "NVIDIA GV11B"),
    ("nvidia,tegra234", "NVIDIA GA10B"),
    ("nvidia,tegra264", "NVIDIA GB10B"),
)


def types() -> frozenset[str]:
    """Return all types that there are; none at all, an empty text, is the one of the unknown."""
    rows = (*NAMES, *ONLY_ON, *((path, kind) for path, _, kind in ARCHITECTURES))
    return frozenset(kind for _, kind in rows) | {""}
