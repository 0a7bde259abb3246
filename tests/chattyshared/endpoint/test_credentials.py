"""Who asks: Basic, Digest and Bearer."""

import pytest
from chattyshared.endpoint.connection_options import ConnectionOptions, environment_secrets, read_connection_options
from chattyshared.endpoint.credentials import Authorization, Credentials, digest_header
from chattyshared.errors import ConfigError

# RFC 7616, section 3.9.1
CHALLENGE = {
    "realm": "http-auth@example.org",
    "nonce": "7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v",
    "opaque": "FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS",
    "qop": "auth, auth-int",
}
NONCE = "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ"
WANTED = {"MD5": "8ca523f5e9506fed4657c9700eebdbec",
          "SHA-256": "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"}  # fmt: skip
ASKS = 'Digest realm="r", nonce="{}", qop="auth", stale={}'


def signed(by, url="http://h/sparql?query=ASK"):
    return by.sign("GET", url)


@pytest.mark.parametrize("algorithm", WANTED)
def test_digest_answers_as_in_the_standard(algorithm):
    said = digest_header(
        CHALLENGE | {"algorithm": algorithm}, Credentials("Mufasa", "Circle of Life"), "GET:/dir/index.html", 1, NONCE
    )
    assert f'response="{WANTED[algorithm]}"' in said
    assert said.startswith('Digest username="Mufasa", realm="http-auth@example.org", ')
    assert "qop=auth, nc=00000001" in said and f"algorithm={algorithm}" in said


def test_a_user_is_told_by_basic_until_the_server_wants_digest():
    by = Authorization(Credentials("me", "pass:wörd"))
    first = signed(by)
    assert (first, by.description) == ("Basic bWU6cGFzczp3w7ZyZA==", "as me (Basic)")
    assert by.handle_challenge(first, ['Basic realm="r"', ASKS.format("n1", "false")])
    second = signed(by)
    assert 'nonce="n1"' in second and "nc=00000001" in second and by.description == "as me (Digest)"
    assert "nc=00000002" in signed(by)


def test_a_stale_nonce_is_renewed_and_a_wrong_password_is_not_tried_again():
    by = Authorization(Credentials("me", "secret"))
    by.handle_challenge("Basic x", [ASKS.format("n1", "false")])
    sent = signed(by)
    assert not by.handle_challenge(sent, [ASKS.format("n2", "false")])
    assert by.handle_challenge(sent, [ASKS.format("n2", "true")])
    assert by.handle_challenge(sent, [ASKS.format("n3", "false")]), "another thread has learned n2 meanwhile"
    assert 'nonce="n2"' in signed(by)


@pytest.mark.parametrize(
    "challenge",
    ['Basic realm="r"', "Negotiate", "Digest", 'Digest realm="r", nonce="n", algorithm=SHA-512-256',
     'Digest realm="r", nonce="n", qop="auth-int"'],
)  # fmt: skip
def test_challenges_that_cannot_be_answered(challenge):
    assert not Authorization(Credentials("me", "secret")).handle_challenge("", [challenge])


def test_a_token_goes_before_a_user():
    by = Authorization(Credentials("me", "secret", "t0ken"))
    assert (signed(by), by.description) == ("Bearer t0ken", "by a token (Bearer)")
    assert not by.handle_challenge("", [ASKS.format("n", "false")])


def test_nobody_is_nobody():
    by = Authorization(Credentials())
    assert (signed(by), by.description) == ("", "open to everybody")


def test_secrets_are_in_no_repr():
    shown = repr(ConnectionOptions(credentials=Credentials("me", "s3cret", "t0ken")))
    assert "s3cret" not in shown and "t0ken" not in shown


def test_the_environment_names_who_asks():
    environ = {
        "CHATTY_KG_USER": "me",
        "CHATTY_KG_PASSWORD": "p",
        "CHATTY_KG_TOKEN": "t",
        "CHATTY_CONTACT": "a@b.example",
    }
    found = read_connection_options({"contact": None, "no_cache": True, "query_timeout": 5.0}, environ)
    assert (found.credentials, found.contact) == (Credentials("me", "p", "t"), "a@b.example")
    assert (found.timeout, found.requests_per_second, found.no_cache) == (5.0, None, True)
    assert environment_secrets(environ) == ("p", "t", "bWU6cA==", "bWU6cA")
    assert read_connection_options({}, {}) == ConnectionOptions()


BOTH = "is not: set both, or CHATTY_KG_TOKEN alone"
ASCII = "holds characters that HTTP does not carry: letters, digits and signs of ASCII do"


@pytest.mark.parametrize(
    ("given", "environ", "said"),
    [
        ({}, {"CHATTY_KG_USER": "me"}, f"CHATTY_KG_USER is set, but CHATTY_KG_PASSWORD {BOTH}"),
        ({}, {"CHATTY_KG_PASSWORD": "p"}, f"CHATTY_KG_PASSWORD is set, but CHATTY_KG_USER {BOTH}"),
        ({}, {"CHATTY_KG_TOKEN": "a\nb"}, f"CHATTY_KG_TOKEN {ASCII}"),
        ({"contact": "é"}, {}, f"contact {ASCII}"),
    ],
)
def test_what_cannot_be_sent(given, environ, said):
    with pytest.raises(ConfigError) as caught:
        read_connection_options(given, environ)
    assert str(caught.value) == said
