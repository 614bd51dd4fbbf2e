"""Nobody is inside while the gate is shut."""

import threading

import pytest

from exporters.hardware.nvml.gate import Gate


def test_who_comes_while_it_is_shut_stays_outside() -> None:
    """A sampler skips its turn instead of waiting for NVML to be initialised."""
    gate = Gate()
    with gate.shut(0.1), gate.inside() as entered:
        assert not entered
    with gate.inside() as entered:
        assert entered


def test_whoever_shuts_it_does_not_wait_for_ever() -> None:
    """A sampler that hangs in a call is told of, and the gate is open again."""
    gate = Gate()
    with gate.inside(), pytest.raises(TimeoutError), gate.shut(0.01):
        pytest.fail("somebody is inside")
    with gate.inside() as entered:
        assert entered


def test_whoever_shuts_it_waits_for_those_inside() -> None:
    """The last one out lets NVML be shut down."""
    gate = Gate()
    entered, leave = threading.Event(), threading.Event()

    def stay() -> None:
        with gate.inside():
            entered.set()
            leave.wait(10)

    guest = threading.Thread(target=stay)
    guest.start()
    entered.wait(10)
    threading.Timer(0.05, leave.set).start()
    with gate.shut(10):
        assert leave.is_set()
    guest.join(10)
