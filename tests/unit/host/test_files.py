"""Collectors of one file."""

from pathlib import Path

import pytest

from exporters.core import NoData, Root
from exporters.host.files import file, sensor_of


def test_a_file_that_is_missing_says_why(tmp_path: Path) -> None:
    """Path and meaning, as a person looks it up."""
    discover = sensor_of(file("proc/vmstat", lambda _text: ()), "mount it")

    with pytest.raises(NoData, match="no /proc/vmstat: mount it"):
        list(discover(Root(str(tmp_path))))


def test_a_file_that_is_there_is_a_sensor(tmp_path: Path) -> None:
    """It is not read yet: that is for the scrape to do."""
    (tmp_path / "proc").mkdir()
    (tmp_path / "proc/vmstat").touch()
    sensor = file("proc/vmstat", lambda _text: ())

    assert [sensor] == list(sensor_of(sensor)(Root(str(tmp_path))))
