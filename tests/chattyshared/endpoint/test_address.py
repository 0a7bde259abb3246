"""Addresses of endpoints: secrets never show."""

import pytest
from chattyshared.endpoint.address import is_upgrade, parse_address, parse_origin
from chattyshared.errors import ConfigError


def test_credentials_and_parameters_are_taken_apart():
    found = parse_address(
        "https://me%40home:p%3Ass@host.example:8443/a b/sparql?default-graph-uri=http%3A//g&key=abcdef#x"
    )
    assert found.url == "https://host.example:8443/a%20b/sparql"
    assert (found.user, found.password) == ("me@home", "p:ss")
    assert found.parameters == (("default-graph-uri", "http://g"), ("key", "abcdef"))
    assert found.name == "https://host.example:8443/a%20b/sparql?default-graph-uri=http://g&key=***"
    assert "p:ss" not in repr(found) and "abcdef" not in repr(found)


def test_parameters_that_are_not_shown_are_private():
    found = parse_address("http://me:secret word@host/?key=abcdef&default-graph-uri=http://graph/&timeout=5&Key=2")
    assert found.private_parameters == (("key", "abcdef"), ("Key", "2"))


@pytest.mark.parametrize(
    ("one", "other", "is_same"),
    [
        ("http://host/a?b#c", "HTTP://me:x@HOST:80/", True),
        ("https://host", "https://host:443/x", True),
        ("http://host:8080", "http://host:8081", False),
        ("http://host", "https://host", False),
        ("http://host", "http://host.", False),
        ("http://host", "http://me@elsewhere", False),
    ],
)
def test_an_origin_is_scheme_host_and_port(one, other, is_same):
    assert (parse_origin(one) == parse_origin(other)) is is_same


@pytest.mark.parametrize(
    ("old", "new", "is_safe"),
    [
        ("http://host/", "https://host/x", True),
        ("http://host:80/", "https://host:443/", True),
        ("https://host/", "http://host/", False),
        ("http://host:8080/", "https://host/", False),
        ("http://host/", "https://host:8443/", False),
        ("http://host/", "https://www.host/", False),
    ],
)
def test_an_upgrade_is_the_same_host_by_https_at_the_usual_ports(old, new, is_safe):
    assert is_upgrade(parse_origin(old), parse_origin(new)) is is_safe


@pytest.mark.parametrize(
    ("url", "bare"),
    [
        ("http://localhost", "http://localhost/"),
        (" http://127.0.0.1:8890/sparql ", "http://127.0.0.1:8890/sparql"),
        ("http://[::1]:80/x", "http://[::1]:80/x"),
        ("http://bücher.example/ü", "http://xn--bcher-kva.example/%C3%BC"),
    ],
)
def test_the_bare_url(url, bare):
    assert (parse_address(url).url, parse_address(url).name) == (bare, bare)


@pytest.mark.parametrize(
    "url", ["", "ftp://host/x", "http://", "localhost:8890/sparql", "http://[::1", "http://h:x/", "/a"]
)
def test_what_is_no_address(url):
    with pytest.raises(ConfigError, match="^the "):
        parse_address(url)
