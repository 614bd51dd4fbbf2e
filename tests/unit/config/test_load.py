"""Settings: where they come from, and what is said of bad ones."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exporters.config.load import ConfigError, load
from exporters.config.option import address, boolean, count, options_of, pairs, seconds, size
from exporters.config.settings import Settings

COLLECTORS = ("thermal", "nvml")


def write(tmp_path: Path, text: str) -> dict[str, str]:
    """Write a configuration file and return the flag that names it."""
    path = tmp_path / "tailsight.yml"
    path.write_text(text)
    return {"config.file": str(path)}


def test_defaults_hold_where_nothing_is_said() -> None:
    """No flag, no variable, no file: loopback, 3 s, no push."""
    settings = load({}, {}, COLLECTORS)

    assert ("127.0.0.1:9749", 3.0, None, {}) == (
        settings.listen, settings.scrape_timeout, settings.otlp_endpoint, settings.collectors,
    )  # fmt: skip


def test_flags_win_over_environment_over_file(tmp_path: Path) -> None:
    """Each place overrides the one below it, setting by setting."""
    file = write(tmp_path, "listen: :1\nscrape.timeout: 1\ndiscovery: {interval: 1m}\n")
    environment = {"TAILSIGHT_LISTEN": ":2", "TAILSIGHT_SCRAPE_TIMEOUT": "2"}
    settings = load({"listen": ":3", **file}, environment, COLLECTORS)

    assert (":3", 2.0, 60.0) == (
        settings.listen, settings.scrape_timeout, settings.discovery_interval,
    )  # fmt: skip


def test_collectors_are_switched_from_everywhere(tmp_path: Path) -> None:
    """Flag, variable and file name collectors alike."""
    file = write(tmp_path, "collector: {thermal: false}")

    assert {"thermal": False, "nvml": True} == dict(
        load(file, {"TAILSIGHT_COLLECTOR_NVML": "true"}, COLLECTORS).collectors
    )


def test_file_may_be_named_by_the_environment(tmp_path: Path) -> None:
    """TAILSIGHT_CONFIG_FILE is as good as --config.file."""
    path = write(tmp_path, "listen: :5")["config.file"]

    assert ":5" == load({}, {"TAILSIGHT_CONFIG_FILE": path}, COLLECTORS).listen


def test_headers_may_be_a_mapping(tmp_path: Path) -> None:
    """Headers can be written as YAML means them."""
    settings = load(write(tmp_path, "otlp: {headers: {a: b, c: d}}"), {}, COLLECTORS)

    assert {"a": "b", "c": "d"} == dict(settings.otlp_headers)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("lisen: :1", "unknown setting lisen; did you mean listen?"),
        ("collector: {termal: true}", "did you mean collector.thermal?"),
        ("listen: nowhere", "listen wants HOST:PORT, such as 127.0.0.1:9749 or [::1]:9749"),
        ("listen: :1\nlisten: :2", "line 2: listen is set twice"),
        ("otlp.endpoint: a\notlp: {endpoint: b}", "otlp.endpoint is set twice"),
        ("listen: [1, 2]", "listen wants a plain value, got [1, 2]"),
        ("- listen", "wants settings as NAME: VALUE"),
        ("just text", "wants settings as NAME: VALUE"),
        ("listen: {", "line 1"),
        ("listen: !!python/object:os.system {}", "line 1"),
        ("listen: \x00", "special characters are not allowed"),
        ("a: &a {b: c}\nd: &d {e: *a, f: *a}", "line 1: is used a second time through an alias"),
        ("listen: &a {b: *a}", "line 1: is used a second time through an alias"),
        ("a: &a [b]\nc: [*a, *a]", "line 1: is used a second time through an alias"),
        ("{a: " * 2000, "is nested too deeply"),
        ("? [a]\n: b", "line 1: a name is plain text"),
        ("#" * 2**20 + "\n", "is longer than 1048576 characters"),
        ("listen:", "listen wants a plain value, got None"),
        ("collector: {thermal: maybe}", "collector.thermal wants true or false, got 'maybe'"),
    ],
)
def test_a_bad_file_is_one_line_with_its_name(tmp_path: Path, text: str, message: str) -> None:
    """What is wrong, where, and what to do, on one line."""
    with pytest.raises(ConfigError) as caught:
        load(write(tmp_path, text), {}, COLLECTORS)
    said = str(caught.value)

    assert message in said
    assert "tailsight.yml: " in said
    assert "\n" not in said


@pytest.mark.parametrize("path", ["/no/such/file", "/"])
def test_a_file_that_cannot_be_read_is_named(path: str) -> None:
    """A missing file, or a folder, is said so."""
    with pytest.raises(ConfigError, match=f"{path}: cannot be read: "):
        load({"config.file": path}, {}, COLLECTORS)


def test_a_file_names_no_other_file(tmp_path: Path) -> None:
    """``config.file`` in a file would be ignored, so it is refused."""
    with pytest.raises(ConfigError, match="has no meaning in a file"):
        load(write(tmp_path, "config: {file: other.yml}"), {}, COLLECTORS)


def test_several_texts_may_be_a_list(tmp_path: Path) -> None:
    """A list in the file is what commas are in a flag."""
    expected = ("/run/a", "/run/b")

    assert expected == load({"ptp4l.sockets": "/run/a, /run/b"}, {}, COLLECTORS).ptp4l_sockets
    file = write(tmp_path, "ptp4l: {sockets: [/run/a, /run/b]}")
    assert expected == load(file, {}, COLLECTORS).ptp4l_sockets


def test_a_regular_expression_is_compiled() -> None:
    """What is set is ready to search with."""
    found = load({"processes.command": "^python3? .*infer"}, {}, COLLECTORS).processes_command

    assert found is not None
    assert found.search("python /srv/infer.py")
    assert not found.search("bash")


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("processes.command", "(", "wants a regular expression: missing"),
        ("processes.command", ".*", "does not match everything"),
        ("processes.cgroup", "a|", "does not match everything"),
        ("ptp4l.sockets", " , ", "wants one text, or several"),
        ("ptp4l.domain", "256", "from 0 to 255"),
        ("ptp4l.transport", "-1", "from 0 to 15"),
        ("processes.max", "0", "from 1 to 1000"),
        ("chrony.address", "chronyd", "wants HOST:PORT"),
        ("kubelet.url", "127.0.0.1:10250", "wants a URL"),
        ("kubelet.url", "https://user@node:10250", "wants a URL"),
    ],
)
def test_what_the_host_and_its_clock_do_not_take(name: str, text: str, message: str) -> None:
    """A bad value is named with what is wanted."""
    with pytest.raises(ConfigError, match=message):
        load({name: text}, {}, COLLECTORS)


def test_chronyd_has_a_port_or_a_socket() -> None:
    """An absolute path is a socket, anything else an address."""
    for address_ in ("/run/chrony/chronyd.sock", "[::1]:323"):
        assert address_ == load({"chrony.address": address_}, {}, COLLECTORS).chrony_address


@pytest.mark.parametrize("text", ["", "# all defaults\n", "---\n"])
def test_an_empty_file_says_nothing(tmp_path: Path, text: str) -> None:
    """An empty file, or one with comments only, leaves all at its default."""
    assert "127.0.0.1:9749" == load(write(tmp_path, text), {}, COLLECTORS).listen


def test_an_unknown_variable_is_an_error_with_a_hint() -> None:
    """A typing error in the environment is not ignored."""
    with pytest.raises(ConfigError, match="did you mean TAILSIGHT_OTLP_ENDPOINT"):
        load({}, {"TAILSIGHT_OLTP_ENDPOINT": "http://x"}, COLLECTORS)


def test_service_links_of_kubernetes_are_not_settings() -> None:
    """A Service named tailsight makes variables in every pod; they are left alone."""
    links = {
        "TAILSIGHT_SERVICE_HOST": "10.0.0.1", "TAILSIGHT_SERVICE_PORT": "9749",
        "TAILSIGHT_SERVICE_PORT_METRICS": "9749", "TAILSIGHT_PORT": "tcp://10.0.0.1:9749",
        "TAILSIGHT_PORT_9749_TCP": "tcp://10.0.0.1:9749", "TAILSIGHT_PORT_9749_TCP_PROTO": "tcp",
        "TAILSIGHT_AGENT_SERVICE_HOST": "10.0.0.2", "TAILSIGHT_AGENT_PORT_9749_TCP_ADDR": "x",
    }  # fmt: skip

    assert load({}, {}, COLLECTORS) == load({}, links, COLLECTORS)


@pytest.mark.parametrize(
    ("text", "value"),
    [("5", 5.0), ("5s", 5.0), ("500ms", 0.5), ("1.5m", 90.0), ("2h", 7200.0)],
)
def test_lengths_of_time(text: str, value: float) -> None:
    """Times are seconds unless they say otherwise."""
    assert value == seconds(text)


@pytest.mark.parametrize(
    ("text", "value"), [("4MiB", 4194304), ("4096", 4096), ("1KiB", 1024), ("7B", 7)]
)
def test_sizes(text: str, value: int) -> None:
    """Sizes are bytes unless they say otherwise."""
    assert value == size(text)


@given(st.text())
def test_parsers_raise_valueerror_or_answer(text: str) -> None:
    """Any text is a value or a ValueError."""
    for parse in (seconds, size, count, boolean, pairs, address):
        try:
            parse(text)
        except ValueError:
            continue


@pytest.mark.parametrize("text", ["localhost:80", "[::1]:80", ":80", "0.0.0.0:0", "host-a.b:1"])
def test_addresses(text: str) -> None:
    """Hosts by name or number, IPv6 in brackets, or none."""
    assert text == address(text)


@pytest.mark.parametrize(
    "text", ["80", "::1:80", "a:b", "a:70000", "http://a:80", "a b:1", "a:\u0663", ""]
)
def test_what_is_no_address(text: str) -> None:
    """All else is refused with an example."""
    with pytest.raises(ValueError, match="wants HOST:PORT"):
        address(text)


@pytest.mark.parametrize("text", ["0", "-5", "5d", "\u0665s", "9" * 400, "1001h", "0.0"])
def test_what_is_no_length_of_time(text: str) -> None:
    """No time at all, or more than clocks can count, is refused."""
    with pytest.raises(ValueError, match="wants a length of time"):
        seconds(text)


@pytest.mark.parametrize("text", ["0", "-1", "\u0663", "9" * 5000, "1000000001", "1_0", ""])
def test_what_is_no_count(text: str) -> None:
    """Whole numbers within reason only."""
    with pytest.raises(ValueError, match="wants a whole number from 1 to 1000000000"):
        count(text)


@pytest.mark.parametrize("name", ["root", "config.file", "web.config.file", "otlp.endpoint"])
def test_an_empty_flag_is_a_slip(name: str) -> None:
    """``--root "$UNSET"`` must not answer from the live machine, nor one without its rules."""
    with pytest.raises(ConfigError, match=f"flags: {name} wants a text, not nothing, got ''"):
        load({name: ""}, {}, COLLECTORS)


def test_an_empty_variable_is_not_set() -> None:
    """As the OpenTelemetry specification has it for its own variables."""
    assert load({}, {}, COLLECTORS) == load({}, {"TAILSIGHT_ROOT": ""}, COLLECTORS)


def test_every_setting_has_a_distinct_variable() -> None:
    """No two settings share an environment variable."""
    variables = [option.variable for option, _ in options_of(Settings).values()]

    assert len(variables) == len(set(variables))
