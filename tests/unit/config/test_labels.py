"""The node labels file."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exporters.config.labels import KEYS, parse_labels, read_labels


def test_names_values_comments_and_quotes() -> None:
    """Comments and blank lines say nothing; white space and a pair of quotes are no value."""
    text = '# by the installer\n\n  region = eu-central \nrack=r=12\r\nzone="hall 3"\n'

    assert {"region": "eu-central", "rack": "r=12", "zone": "hall 3"} == parse_labels(text)


def test_a_value_may_be_empty() -> None:
    """It then takes back what a variable says."""
    assert {"rack": ""} == parse_labels("rack=")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("region", "line 1: wants NAME=VALUE with one of region, rack, zone, got 'region'"),
        ("\n=eu", "line 2: wants NAME=VALUE with one of region, rack, zone, got '=eu'"),
        ("regoin=eu", "line 1: wants NAME=VALUE with one of region, rack, zone, got 'regoin=eu'"),
        ("rack=1\nrack=2", "line 2: rack is set twice"),
        ('zone="a', "line 1: wants a value in a pair of quotes or without any, got '\"a'"),
        ('zone="', "line 1: wants a value in a pair of quotes or without any, got '\"'"),
        ('zone=a"b"', "line 1: wants a value in a pair of quotes or without any, got 'a\"b\"'"),
    ],
)
def test_a_bad_line_is_named(text: str, said: str) -> None:
    """One line says which and what it wants; a misspelt name is no label that silently lacks."""
    with pytest.raises(ValueError, match=r"^line \d") as caught:
        parse_labels(text)

    assert said == str(caught.value)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    """A missing file and one that is no text are told apart."""
    binary = tmp_path / "binary"
    binary.write_bytes(b"region=\xff")

    with pytest.raises(ValueError, match=r"^cannot be read: No such file or directory$"):
        read_labels(str(tmp_path / "missing"))
    with pytest.raises(ValueError, match=r"^is not UTF-8 text$"):
        read_labels(str(binary))


@given(st.text())
def test_any_text_gives_labels_or_valueerror(text: str) -> None:
    """Whatever is in the file, nothing but the three labels comes out, each on one line."""
    try:
        found = parse_labels(text)
    except ValueError:
        return

    assert set(KEYS) >= set(found)
    assert not any("\n" in value for value in found.values())
