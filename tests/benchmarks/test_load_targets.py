"""Which addresses a measurement may ask, and how little is ever known of a key."""

import doctest
import ipaddress
import socket

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.load import targets
from benchmarks.load.targets import Target, TargetError, base_url, checked, key, masked, policy


def target(url: str = "https://api.example.com/v1", **values: object) -> Target:
    known: dict[str, object] = {"base_url": url, "route": "chat", "model": "m"}
    return Target(**(known | values))  # type: ignore[arg-type]


def refusal(url: str, *allowed: str, **values: object) -> str:
    """The code of the refusal; empty when the target is accepted."""
    try:
        checked(target(url, allowed=allowed, **values))
    except TargetError as error:
        return error.code
    return ""


def test_the_examples_hold() -> None:
    assert doctest.testmod(targets).failed == 0


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("https://api.example.com/v1", "https://api.example.com/v1"),
        ("  https://API.example.com/v1/  ", "https://api.example.com/v1"),
        ("https://api.example.com/v1/completions", "https://api.example.com/v1"),
        ("https://api.example.com/v1/chat/completions", "https://api.example.com/v1"),
        ("https://api.example.com", "https://api.example.com/v1"),
        ("https://api.example.com/openai/deploy", "https://api.example.com/openai/deploy"),
        ("http://vllm.example.com:8000/", "http://vllm.example.com:8000/v1"),
        ("https://api.example.com./v1", "https://api.example.com/v1"),
        ("https://api.example.com:/v1", "https://api.example.com/v1"),
        ("https://exämple.com/v1", "https://xn--exmple-cua.com/v1"),
        ("https://ＡＰＩ．example。com/v1", "https://api.example.com/v1"),
        ("http://[2606:4700:0:0::1111]:80/v1", "http://[2606:4700::1111]:80/v1"),
        ("http://0x08.010.2056/v1", "http://8.8.8.8/v1"),
    ],
)
def test_an_address_is_brought_into_one_form(typed: str, expected: str) -> None:
    assert base_url(typed) == expected


@pytest.mark.parametrize(
    ("typed", "code"),
    [
        ("file:///etc/passwd", "url_scheme"),
        ("ftp://example.com/v1", "url_scheme"),
        ("gopher://example.com", "url_scheme"),
        ("example.com/v1", "url_scheme"),
        ("", "url_scheme"),
        ("https://", "url_unreadable"),
        ("https://example.com:99999/v1", "url_unreadable"),
        ("https://example.com:0/v1", "url_unreadable"),
        ("https://[::1/v1", "url_unreadable"),
        ("https://user:word@example.com/v1", "url_credentials"),
        ("https://example.com@10.0.0.1/v1", "url_credentials"),
        ("https://example.com/v1?key=1", "url_query"),
        ("https://example.com/v1#x", "url_query"),
        ("https://@example.com/v1", "url_credentials"),
        ("https://api.example.com\\@10.0.0.1/v1", "url_credentials"),
        ("https://1.2.3.256/v1", "url_unreadable"),
        ("https://1.2.3.4.5/v1", "url_unreadable"),
        ("https://0x1g.1/v1", "url_unreadable"),
        ("https://09.0.0.1/v1", "url_unreadable"),
        ("https://4294967296/v1", "url_unreadable"),
        ("https://a..example.com/v1", "url_unreadable"),
        ("https://.example.com/v1", "url_unreadable"),
        ("https://./v1", "url_unreadable"),
        ("https://exa mple.com/v1", "url_unreadable"),
        ("https://%31%32%37.0.0.1/v1", "url_unreadable"),
        ("https://api.example.com\\.evil.com/v1", "url_unreadable"),
        ("https://api.example.com\x00/v1", "url_unreadable"),
        ("https://[fe80::1%25eth0]/v1", "url_unreadable"),
        ("https://[::ffff:300.0.0.1]/v1", "url_unreadable"),
        ("https://straße.example/v1", "url_unreadable"),
        (f"https://{'a' * 64}.example.com/v1", "url_unreadable"),
        (f"https://{'a.' * 127}example.com/v1", "url_unreadable"),
    ],
)
def test_an_address_of_another_form_is_refused(typed: str, code: str) -> None:
    with pytest.raises(TargetError) as error:
        base_url(typed)
    assert error.value.code == code


@pytest.mark.parametrize("route", ["chat", "completions"])
def test_both_routes_of_the_protocol_are_known(route: str) -> None:
    path = {"chat": "/chat/completions", "completions": "/completions"}[route]
    assert checked(target(route=route)).url == f"https://api.example.com/v1{path}"


PRIVATE = [
    "127.0.0.1",
    "10.1.2.3",
    "192.168.1.1",
    "172.16.0.9",
    "100.64.0.1",
    "0.0.0.0",
    "169.254.0.7",
    "[::1]",
    "[fe80::1]",
    "[fd12::1]",
    "[::ffff:10.0.0.1]",
    "[::ffff:127.0.0.1]",
    "[64:ff9b::7f00:1]",
    "[2002:7f00:1::]",
    "224.0.0.1",
    "localhost",
    "vllm",
    "gpu.local",
    "db.internal",
    "x.localhost",
    "db.lan",
    "nas.home.arpa",
    "localhost.localdomain",
]
OTHER_SPELLINGS = {
    "127.1": "127.0.0.1",
    "127.0.1": "127.0.0.1",
    "2130706433": "127.0.0.1",
    "017700000001": "127.0.0.1",
    "0x7f000001": "127.0.0.1",
    "0x7F.1": "127.0.0.1",
    "0177.0.0.01": "127.0.0.1",
    "10.0x10203": "10.1.2.3",
    "0": "0.0.0.0",
    "127.0.0.1.": "127.0.0.1",
    "[::127.0.0.1]": "127.0.0.1",
    "[::7f00:1]": "127.0.0.1",
    "[0:0:0:0:0:ffff:7f00:1]": "127.0.0.1",
    "[64:ff9b::10.1.2.3]": "10.1.2.3",
    "１２７．０．０．１": "127.0.0.1",
    "①②⑦.0.0.1": "127.0.0.1",
    "localhost.": "localhost",
    "LOCALHOST": "localhost",
    "ⓛocalhost": "localhost",
    "db。internal": "db.internal",
    "vllm.": "vllm",
}
METADATA_SPELLINGS = (
    "metadata.google.internal.",
    "METADATA.google.internal",
    "metadata。google。internal",
    "metadata.goog.",
    "169.254.43518",
    "2852039166",
    "0xa9fea9fe",
    "0251.0376.0251.0376",
    "[::169.254.169.254]",
    "[64:ff9b::a9fe:a9fe]",
    "[fd00:ec2:0:0::254]",
)


@pytest.mark.parametrize("host", PRIVATE)
def test_private_addresses_are_refused_unless_they_are_listed(host: str) -> None:
    assert refusal(f"http://{host}:8000/v1") == "address_private"


@pytest.mark.parametrize(("host", "meant"), OTHER_SPELLINGS.items())
def test_a_private_host_is_refused_in_each_of_its_spellings_and_named_by_the_usual_one(host: str, meant: str) -> None:
    """Whatever the resolver of the measuring host would read as this address is read so beside the form's field."""
    with pytest.raises(TargetError) as error:
        checked(target(f"http://{host}:8000/v1"))
    assert (error.value.code, error.value.detail) == ("address_private", meant)
    assert refusal(f"http://{host}:8000/v1", meant) == ""


@pytest.mark.parametrize("host", METADATA_SPELLINGS)
def test_a_metadata_service_is_refused_in_each_of_its_spellings(host: str) -> None:
    assert refusal(f"http://{host}/latest", "0.0.0.0/0", "::/0", "169.254.0.0/16") == "address_metadata"


@pytest.mark.parametrize("number", ["127.1", "0x7f.1", "2130706433", "0177.0.0.1", "10.0x10203", "1.2.3"])
def test_numbers_are_read_as_the_systems_resolver_reads_them(number: str) -> None:
    (found,) = {info[4][0] for info in socket.getaddrinfo(number, 80, socket.AF_INET, socket.SOCK_STREAM)}
    assert targets.canonical(number) == found


@given(st.integers(0, 2**32 - 1))
def test_every_spelling_of_an_address_is_one_host(value: int) -> None:
    dotted = str(ipaddress.IPv4Address(value))
    high, rest = value >> 24, value & 0xFFFFFF
    spelled = (dotted, str(value), hex(value), f"0{value:o}", f"{high}.{rest}", f"{hex(high)}.{rest}", f"{dotted}.")
    assert {targets.canonical(each) for each in spelled} == {dotted}


@given(st.text(max_size=30))
def test_a_canonical_host_is_plain_and_stays_as_it_is(text: str) -> None:
    try:
        found = targets.canonical(text)
    except TargetError as error:
        assert error.code == "url_unreadable"
    else:
        assert found.isascii() and targets.canonical(found) == found


@pytest.mark.parametrize(
    ("host", "listed"),
    [
        ("vllm.", "VLLM."),
        ("127.0.0.1", "127.0.0.1"),
        ("10.1.2.3", "10.0.0.0/8"),
        ("[fd12::1]", "fd12::/16"),
        ("localhost", "localhost"),
        ("vllm", "vllm"),
        ("db.internal", "DB.internal"),
        ("[::ffff:10.0.0.1]", "10.0.0.0/8"),
    ],
)
def test_what_an_administrator_lists_is_accepted(host: str, listed: str) -> None:
    assert refusal(f"http://{host}:8000/v1", listed) == ""
    assert refusal(f"http://{host}:8000/v1", "192.0.2.0/24", "other") == "address_private"


@pytest.mark.parametrize("host", ["169.254.169.254", "[fd00:ec2::254]", "100.100.100.200", "metadata.google.internal"])
def test_metadata_services_are_refused_even_inside_a_listed_network(host: str) -> None:
    wide = ("0.0.0.0/0", "::/0", "169.254.0.0/16")
    assert refusal(f"http://{host}/latest", *wide) == "address_metadata"


def test_a_metadata_address_listed_by_itself_is_what_the_administrator_wants() -> None:
    assert refusal("http://169.254.169.254/v1", "169.254.169.254") == ""
    assert refusal("http://[::ffff:169.254.169.254]/v1") == "address_metadata"


def test_public_addresses_and_names_need_no_list() -> None:
    assert [refusal(f"https://{host}/v1") for host in ("api.example.com", "8.8.8.8", "[2606:4700::1111]")] == [""] * 3


def test_what_a_name_resolves_to_is_checked_as_an_address() -> None:
    """A public name that leads to a private address is refused on connecting; a listed name may."""
    inside = ipaddress.ip_address("10.0.0.1")
    with pytest.raises(TargetError, match="address_private"):
        policy(()).check_address(inside, "api.example.com")
    policy(("api.example.com",)).check_address(inside, "api.example.com")
    with pytest.raises(TargetError, match="address_metadata"):
        policy(("api.example.com",)).check_address(ipaddress.ip_address("169.254.169.254"), "api.example.com")


@pytest.mark.parametrize(
    ("values", "code"),
    [
        ({"route": "embeddings"}, "route"),
        ({"key_variable": "SECRET_KEY"}, "key_name"),
        ({"key_variable": "DATABASE_URL"}, "key_name"),
        ({"key_variable": "BENCHMARK_KEY_"}, "key_name"),
        ({"key_variable": "BENCHMARK_KEY_x y"}, "key_name"),
        ({"length_field": "stop"}, "length_field"),
    ],
)
def test_other_parts_are_checked_too(values: dict[str, object], code: str) -> None:
    assert refusal("https://api.example.com/v1", **values) == code


def test_only_variables_made_for_it_can_be_sent_to_a_server() -> None:
    secret = {"BENCHMARK_KEY_MISTRAL": " sk-1 ", "SECRET_KEY": "deep"}
    assert key(target(key_variable="BENCHMARK_KEY_MISTRAL"), secret) == "sk-1"
    assert key(target(), secret) == ""
    with pytest.raises(TargetError, match="key_name"):
        key(target(key_variable="SECRET_KEY"), secret)


@pytest.mark.parametrize("value", ["", "  ", "a b", "a\nb", "clé"])
def test_a_key_that_cannot_be_sent_is_missing(value: str) -> None:
    with pytest.raises(TargetError, match="key_missing"):
        key(target(key_variable="BENCHMARK_KEY_A"), {"BENCHMARK_KEY_A": value})


def test_a_key_is_taken_out_of_what_a_server_says() -> None:
    assert masked("Incorrect API key provided: sk-1234.", "sk-1234") == "Incorrect API key provided: •••."
    assert masked("nothing", "") == "nothing"
