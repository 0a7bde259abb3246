"""Addresses of endpoints: secrets never show."""

import pytest
from chattyshared.endpoint.address import address
from chattyshared.errors import ConfigError


def test_credentials_and_parameters_are_taken_apart():
    found = address("https://me%40home:p%3Ass@host.example:8443/a b/sparql?default-graph-uri=http%3A//g&key=abcdef#x")
    assert found.url == "https://host.example:8443/a%20b/sparql"
    assert (found.user, found.password) == ("me@home", "p:ss")
    assert found.parameters == (("default-graph-uri", "http://g"), ("key", "abcdef"))
    assert found.name == "https://host.example:8443/a%20b/sparql?default-graph-uri=http://g&key=***"
    assert "p:ss" not in repr(found) and "abcdef" not in repr(found)


def test_secrets_are_blotted_out_of_what_a_server_says():
    found = address("http://me:secret word@host/?key=abcdef&default-graph-uri=http://graph/")
    text = "no secret word, no secret%20word, no abcdef, but http://graph/"
    assert found.without_secrets(text) == "no ***, no ***, no ***, but http://graph/"


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
    assert (address(url).url, address(url).name) == (bare, bare)


@pytest.mark.parametrize(
    "url", ["", "ftp://host/x", "http://", "localhost:8890/sparql", "http://[::1", "http://h:x/", "/a"]
)
def test_what_is_no_address(url):
    with pytest.raises(ConfigError, match="^the "):
        address(url)
