"""Where the daemons that keep time are asked, as the settings say it."""

from dataclasses import dataclass

SOCKETS = ("/var/run/ptp4lro", "/var/run/ptp/ptp4lro", "/var/run/ptp4l", "/var/run/ptp/ptp4l")
"""Read-only ones first. linuxptp has them in /var/run/ptp since its commit 472247a."""


@dataclass(frozen=True, slots=True)
class ClockOptions:
    """Addresses of ptp4l and chronyd."""

    ptp4l_sockets: tuple[str, ...] = SOCKETS
    """Tried in turn; the first that answers is asked from then on."""
    ptp4l_domain: int = 0
    """ptp4l does not answer to another domain than its own."""
    ptp4l_transport: int = 0
    """``transportSpecific`` (majorSdoId): 1 for 802.1AS (gPTP), else 0."""
    log_file: str | None = None
    """Where ptp4l and phc2sys write their messages: only these tell the state of their servos."""
    chrony_address: str = "127.0.0.1:323"
    """Its command port, HOST:PORT, or the path of its socket."""
