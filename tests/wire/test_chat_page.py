"""The chat page in a real Chromium, typed and clicked: slow answers, two tabs, hostile labels, no service."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from wire.chromium import PAGE_MARKS, Opener, expect, open_profiles, violations, width_beyond
from wire.running_service import Client, Running
from wire.scripted_chat import FORMULA, LISTED, LONG, MARKDOWN, PLANTED, SCRIPT, ScriptedEngine, scripted_registry

from chattykg.service.app import make_app
from chattykg.service.datasets import DatasetRegistry
from chattykg.service.sessions import SessionStore

pytestmark = PAGE_MARKS


@pytest.fixture(scope="module")
def scripted(tmp_path_factory: pytest.TempPathFactory) -> tuple[DatasetRegistry, ScriptedEngine]:
    return scripted_registry(tmp_path_factory.mktemp("graphs"))


@pytest.fixture
def engine(scripted: tuple[DatasetRegistry, ScriptedEngine]) -> Iterator[ScriptedEngine]:
    scripted[1].go.clear()
    scripted[1].ended.clear()
    yield scripted[1]
    scripted[1].go.set()


class ChatService:
    """A service that can be stopped, and started again at its port."""

    def __init__(self, registry: DatasetRegistry, file: Path) -> None:
        self._registry, self._file, self._port = registry, file, 0

    def start(self) -> Client:
        self._running = Running(make_app(self._registry, SessionStore(self._file), version="1"), self._port)
        client = self._running.__enter__()
        self._port = int(client.place.rpartition(":")[2])
        return client

    def stop(self) -> None:
        self._running.__exit__()


@pytest.fixture(scope="module")
def service(
    scripted: tuple[DatasetRegistry, ScriptedEngine], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Client]:
    chat = ChatService(scripted[0], tmp_path_factory.mktemp("talks") / "talks.sqlite")
    yield chat.start()
    chat.stop()


@pytest.fixture
def open_page(browser: Any, service: Client, engine: ScriptedEngine) -> Iterator[Opener]:
    """Open a page in a browser profile of its own; it may load nothing from elsewhere, and no script may fail."""
    with open_profiles(
        browser, allows_request=lambda url: not _is_foreign(url), is_problem=lambda said: "Policy" in said.text
    ) as open_empty_page:

        def opener(path: str = "", url: str = service.url, **options: Any) -> Any:
            page = open_empty_page(viewport={"width": 1100, "height": 800}, **options)
            page.context.grant_permissions(["clipboard-read", "clipboard-write"], origin=url.rstrip("/"))
            page.goto(url + path)
            expect(page.locator("#main > *").first).to_be_attached()
            return page

        yield opener


@pytest.fixture
def page(open_page: Opener) -> Any:
    return open_page()


def _is_foreign(url: str) -> bool:
    parts = urlsplit(url)
    return parts.scheme not in ("blob", "data") and parts.hostname != "127.0.0.1"


def ask(page: Any, question: str) -> Any:
    """Type a question, wait for its answer, and return its article."""
    page.locator("#question").fill(question)
    page.keyboard.press("Enter")
    article = page.locator("article").last
    expect(article.locator(".answer, .failure")).to_be_visible()
    return article


def begin_slow(page: Any) -> Any:
    page.locator("#question").fill("slow")
    page.keyboard.press("Enter")
    article = page.locator("article").last
    expect(article.locator(".steps li").last).to_have_text("Running query 2")
    return article


def clipboard(page: Any) -> str:
    return str(page.evaluate("navigator.clipboard.readText()"))


def test_steps_stream_below_the_question_and_the_answer_replaces_them(page: Any, engine: ScriptedEngine) -> None:
    article = begin_slow(page)
    expect(article.locator("h2")).to_have_text("slow")
    assert article.locator(".steps li").all_text_contents()[1:] == [
        "Linked “Old Bramley” (tree)", "Running query 1", "Running query 2",
    ]  # fmt: skip
    expect(page.locator("#question")).to_be_empty()
    expect(page.locator("#send")).to_be_hidden()
    engine.go.set()
    expect(article.locator(".answer")).to_contain_text("Ida Moor")
    expect(article.locator(".steps")).to_have_count(0)
    expect(page.locator("#stop")).to_be_hidden()
    expect(page.locator("#question")).to_be_focused()
    assert "#/chat/" in page.url
    page.reload()
    expect(page.locator("article .answer")).to_contain_text("Ida Moor")


@pytest.mark.parametrize("stop", [lambda page: page.keyboard.press("Escape"), lambda page: page.click("#stop")])
def test_a_stop_ends_the_work_and_gives_the_question_back(
    page: Any, engine: ScriptedEngine, stop: Callable[[Any], None]
) -> None:
    article = begin_slow(page)
    stop(page)
    expect(article).to_contain_text("Stopped.")
    expect(page.locator("#question")).to_have_value("slow")
    expect(page.locator("#question")).to_be_focused()
    for _ in range(200):
        if engine.ended:
            break
        page.wait_for_timeout(20)
    assert engine.ended == ["stopped"]
    expect(ask(page, PLANTED).locator(".answer")).to_contain_text("Ida Moor")


def test_a_long_list_shows_its_start_with_classes(page: Any) -> None:
    article = ask(page, "list")
    items = article.locator(".values li")
    expect(items).to_have_count(20)
    expect(items.first).to_have_text(f"{LISTED[0].label} tree")
    expect(article.locator(".answer a")).to_have_text([value.label for value in LISTED[:10]])
    expect(article.locator(".meta")).to_contain_text("Quite sure (0.80)")
    article.get_by_role("button", name="Show all 45").click()
    expect(items).to_have_count(45)
    expect(items.nth(20)).to_be_focused()
    article.get_by_role("button", name="Copy as CSV").click()
    expect(article.get_by_role("button", name="Copied")).to_be_visible()
    assert clipboard(page).split("\r\n")[:2] == [
        "answer,answer IRI,class", f"{LISTED[0].label},https://orchard.example/t1,tree",
    ]  # fmt: skip


def test_a_table_is_sorted_by_value_and_copied_as_csv(page: Any) -> None:
    article = ask(page, "table")

    def column(place: int) -> list[str]:
        return [str(text) for text in article.locator(f"tbody td:nth-child({place})").all_text_contents()]

    assert article.locator("thead bdi").all_text_contents() == ["tree", "height", "planted on"]
    article.get_by_role("button", name="height").click()
    assert column(2) == ["9", "30", "112"]
    expect(article.locator("th").nth(1)).to_have_attribute("aria-sort", "ascending")
    article.get_by_role("button", name="height").click()
    assert column(2) == ["112", "30", "9"]
    article.get_by_role("button", name="planted on").click()
    assert column(3) == ["-0044-03-15", "1931-04-02", "1950-09-12"]
    article.get_by_role("button", name="Copy as CSV").click()
    expect(article.get_by_role("button", name="Copied")).to_be_visible()
    quoted = "\"'" + FORMULA.replace('"', '""') + '"'
    assert clipboard(page).split("\r\n") == [
        "tree,tree IRI,height,planted on",
        "Young Russet,https://orchard.example/t2,112,'-0044-03-15",
        "Old Bramley,https://orchard.example/t1,9,1931-04-02",
        f"{quoted},https://orchard.example/x1,30,1950-09-12",
        "",
    ]


def test_the_evidence_is_words_a_picture_and_a_query_that_runs(page: Any) -> None:
    article = ask(page, PLANTED)
    article.get_by_text("Evidence").click()
    expect(article.locator(".facts li").first).to_have_text("Old Bramley — planted by — Ida Moor")
    article.get_by_role("button", name="Show as a picture").click()
    expect(article.get_by_role("img")).to_be_visible()
    expect(article.locator(".picture canvas").first).to_be_visible()
    article.get_by_role("button", name="Copy", exact=True).click()
    expect(article.get_by_role("button", name="Copied")).to_be_visible()
    assert clipboard(page).startswith("PREFIX ") and clipboard(page) == article.locator("pre").inner_text()
    article.get_by_role("button", name="Run").click()
    expect(article.locator("tbody td")).to_have_text(["Ida Moor"])
    expect(article.locator("ol.facts li").first).to_contain_text("Linked")


def test_a_name_leads_to_a_page_about_the_thing(page: Any) -> None:
    article = ask(page, PLANTED)
    address = page.url
    article.get_by_role("link", name="Ida Moor").click()
    expect(page.locator("h1")).to_have_text("Ida Moor")
    expect(page.locator("h1")).to_be_focused()
    expect(page.get_by_role("link", name="https://orchard.example/g1")).to_have_attribute(
        "href", "https://orchard.example/g1"
    )
    expect(page.locator("dl").first).to_contain_text("1931-04-02")
    expect(page.locator("dl").last).to_contain_text("Old Bramley")
    page.go_back()
    expect(page.locator("article .answer")).to_contain_text("Ida Moor")
    page.go_forward()
    page.get_by_role("button", name="Ask about it").click()
    expect(page.locator("article h2").last).to_have_text("Tell me about Ida Moor")
    expect(page.locator("article .answer")).to_have_count(2)
    assert page.url == address


def test_a_class_shows_its_things_and_what_is_unknown_is_said(open_page: Opener) -> None:
    page = open_page("#/thing/orchard/https%3A%2F%2Forchard.example%2FTree")
    expect(page.locator("h2").first).to_have_text("Things of this class")
    expect(page.get_by_role("link", name="Old Bramley")).to_be_visible()
    for address in ("#/thing/orchard/javascript%3Aalert(1)", "#/thing/nowhere/urn%3Ax"):
        page = open_page(address)
        expect(page.locator("#main")).to_contain_text("The graph states nothing of it, or there is no such graph here.")
        assert page.locator("#main a").count() == 0


def test_options_and_suggestions_are_buttons(page: Any) -> None:
    article = ask(page, "unclear")
    expect(article.locator(".answer")).to_contain_text("Which tree do you mean?")
    article.get_by_role("button", name="table").click()
    expect(page.locator("article table")).to_be_visible()
    article = ask(page, "refusal")
    expect(article.locator(".notes")).to_have_text("This graph is about trees and people.")
    article.get_by_role("button", name=PLANTED).click()
    expect(page.locator("article .answer").nth(3)).to_contain_text("Ida Moor")


def test_the_empty_page_tells_what_is_in_the_graph_and_asks_its_examples(page: Any) -> None:
    expect(page.locator(".welcome .lead")).to_contain_text("orchard holds")
    expect(page.locator(".welcome .lead")).to_contain_text("tree 6")
    example = page.locator(".welcome .offers button").first
    text = example.inner_text()
    example.click()
    expect(page.locator("article h2")).to_have_text(text)
    expect(page.locator("#question")).to_be_focused()
    expect(page.locator("article .answer")).to_be_visible()


def test_a_conversation_is_renamed_saved_shared_and_deleted(page: Any, open_page: Opener, service: Client) -> None:
    ask(page, PLANTED)
    ask(page, "table")
    entries = page.locator("#conversations a")
    expect(entries).to_have_count(1)
    page.get_by_role("button", name="Rename").click()
    page.get_by_role("textbox", name="Name").fill("Orchard <b>talk</b>")
    page.keyboard.press("Enter")
    expect(entries).to_contain_text("Orchard <b>talk</b>")
    expect(page.locator("h1")).to_have_text("Orchard <b>talk</b>")
    with page.expect_download() as saved:
        page.get_by_role("button", name="Save as Markdown").click()
    markdown = Path(saved.value.path()).read_text(encoding="utf-8")
    assert (
        markdown.startswith("# Orchard &lt;b\\>talk&lt;/b\\>\n") and "| Old Bramley | 9 | 1931\\-04\\-02 |" in markdown
    )
    with page.expect_download() as saved:
        page.get_by_role("button", name="Save as JSON Lines").click()
    assert saved.value.suggested_filename == "Orchard-b-talk-b.jsonl"
    lines = Path(saved.value.path()).read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["question"] for line in lines] == [PLANTED, "table"]
    page.get_by_role("button", name="Copy link").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    link = clipboard(page)
    elsewhere = open_page(link.removeprefix(service.url))
    expect(elsewhere.locator("article")).to_have_count(2)
    ask(elsewhere, "list")
    page.get_by_role("button", name="Delete").click()
    page.locator("dialog").get_by_role("button", name="Delete").click()
    expect(entries).to_have_count(0)
    expect(page.locator(".welcome")).to_be_visible()
    elsewhere.reload()
    expect(elsewhere.locator(".failure")).to_contain_text("This conversation is not here")
    elsewhere.get_by_role("button", name="Remove from the list").click()
    expect(elsewhere.locator("#conversations a")).to_have_count(0)


def test_another_graph_begins_another_conversation_and_keeps_the_old_one(page: Any) -> None:
    ask(page, PLANTED)
    page.locator("#dataset").select_option("piers")
    expect(page.locator(".welcome .lead")).to_contain_text("piers holds")
    expect(ask(page, "Who is the keeper of West Pier?").locator(".answer")).to_contain_text("Una Gale")
    entries = page.locator("#conversations a")
    expect(entries).to_have_count(2)
    entries.nth(1).click()
    expect(page.locator("article .answer")).to_contain_text("Ida Moor")
    expect(page.locator("#dataset")).to_have_value("orchard")


def test_two_tabs_do_not_disturb_each_other(page: Any, engine: ScriptedEngine, service: Client) -> None:
    other = page.context.new_page()
    other.goto(service.url)
    slow = begin_slow(page)
    ask(other, "table")
    expect(page.locator("#conversations a")).to_have_text(["table" + other.locator(".when").inner_text()])
    engine.go.set()
    expect(slow.locator(".answer")).to_contain_text("Ida Moor")
    expect(other.locator("#conversations a")).to_have_count(2)
    expect(other.locator("article")).to_have_count(1)
    for tab, text in ((page, "slow"), (other, "table")):
        tab.reload()
        expect(tab.locator("article h2")).to_have_text(text)


def test_a_question_that_a_reload_cut_off_comes_back(page: Any, engine: ScriptedEngine) -> None:
    ask(page, PLANTED)
    begin_slow(page)
    page.reload()
    expect(page.locator("article")).to_have_count(2)
    expect(page.locator("article").last).to_contain_text("The page was left before the answer came.")
    expect(page.locator("#question")).to_have_value("slow")
    page.get_by_role("button", name="New conversation").click()
    page.locator("#question").fill("")
    begin_slow(page)
    page.reload()
    expect(page.locator("#question")).to_have_value("slow")
    engine.go.set()
    page.locator("#question").press("Enter")
    expect(page.locator("article .answer")).to_contain_text("Ida Moor")


def test_a_failed_question_can_be_tried_again(page: Any) -> None:
    article = ask(page, "broken")
    expect(article.locator(".failure")).to_contain_text("the graph does not answer")
    article.get_by_role("button", name="Try again").click()
    expect(page.locator("article")).to_have_count(1)
    expect(page.locator("article .answer")).to_contain_text("Ida Moor")
    expect(page.locator(".failure")).to_have_count(0)


def test_a_service_that_is_gone_is_told_plainly(
    open_page: Opener, scripted: tuple[DatasetRegistry, ScriptedEngine], tmp_path: Path
) -> None:
    chat = ChatService(scripted[0], tmp_path / "talks.sqlite")
    page = open_page(url=chat.start().url)
    ask(page, PLANTED)
    chat.stop()
    article = ask(page, "table")
    expect(article.locator(".failure")).to_contain_text("The service does not answer.")
    chat.start()
    article.get_by_role("button", name="Try again").click()
    expect(page.locator("article table")).to_be_visible()
    expect(page.locator("article")).to_have_count(2)
    chat.stop()


def test_a_page_without_its_service_waits_for_it(page: Any) -> None:
    ask(page, PLANTED)
    page.context.route("**/health", lambda route: route.abort())
    page.reload()
    expect(page.locator(".failure")).to_contain_text("The service does not answer.")
    assert violations(page) == []
    page.context.unroute("**/health")
    page.get_by_role("button", name="Try again").click()
    expect(page.locator("article .answer")).to_contain_text("Ida Moor")


def test_hostile_labels_are_text(page: Any) -> None:
    article = ask(page, "hostile")
    article.get_by_text("Evidence").click()
    items = article.locator(".values li a")
    assert items.all_text_contents()[:2] == [SCRIPT, MARKDOWN]
    assert items.nth(2).inner_text() == "fdp.[U+202E]exe.evil[U+2066]"
    assert items.nth(3).inner_text().endswith("…") and len(items.nth(3).inner_text()) < 200
    expect(article.locator(".facts li").first).to_contain_text(SCRIPT)
    article.get_by_role("button", name="Show as a picture").click()
    expect(article.locator(".picture canvas").first).to_be_visible()
    assert article.locator("img, script").count() == 0
    items.nth(0).click()
    expect(page.locator("h1")).to_have_text(SCRIPT)
    assert violations(page) == []
    assert page.locator("img").count() == 0 and page.title() != "owned"
    page.set_viewport_size({"width": 360, "height": 740})
    assert width_beyond(page) <= 0
    page.go_back()
    expect(article.locator(".answer")).to_be_visible()
    assert width_beyond(page) <= 0


def test_a_long_text_shows_its_start(page: Any) -> None:
    article = ask(page, "text")
    expect(article.locator(".answer")).to_contain_text(LONG[:100])
    assert len(article.locator(".answer").inner_text()) < len(LONG) / 2
    article.get_by_role("button", name="Show the whole text").click()
    expect(article.locator(".answer")).to_contain_text("endless end")


def test_the_keyboard_is_enough(page: Any) -> None:
    ask(page, "table")
    ask(page, "refusal")
    box = page.locator("#question")
    for key, text in (("ArrowUp", "refusal"), ("ArrowUp", "table"), ("ArrowUp", "table"), ("ArrowDown", "refusal")):
        page.keyboard.press(key)
        expect(box).to_have_value(text)
    box.fill("table")
    page.keyboard.press("Shift+Enter")
    expect(box).to_have_value("table\n")
    page.keyboard.press("ArrowUp")
    expect(box).to_have_value("table\n")
    page.reload()
    expect(page.locator("article")).to_have_count(2)
    page.locator("#skip").focus()
    reached = ["Go to the question"]
    for _ in range(24):
        page.keyboard.press("Tab")
        reached.append(page.evaluate("document.activeElement.textContent.trim() || document.activeElement.id"))
    assert reached.index("New conversation") < reached.index("Copy link")
    assert reached.index("Copy link") < reached.index("Delete") < reached.index("height")


STATES: dict[str, Callable[[Any], object]] = {
    "empty": lambda page: expect(page.locator(".welcome .offers")).to_be_visible(),
    "streaming": begin_slow,
    "list": lambda page: ask(page, "list"),
    "table": lambda page: ask(page, "table"),
    "evidence": lambda page: (
        ask(page, PLANTED).get_by_text("Evidence").click(),
        page.get_by_role("button", name="Show as a picture").click(),
        page.locator(".picture canvas").first.wait_for(),
        page.get_by_role("button", name="Run").click(),
        page.locator(".evidence tbody td").wait_for(),
    ),
    "clarification": lambda page: ask(page, "unclear"),
    "refusal": lambda page: ask(page, "refusal"),
    "failure": lambda page: ask(page, "broken"),
    "hostile": lambda page: ask(page, "hostile"),
    "thing": lambda page: (
        ask(page, PLANTED).get_by_role("link", name="Ida Moor").click(),
        page.locator("dl").first.wait_for(),
    ),
    "dialog": lambda page: (ask(page, PLANTED), page.get_by_role("button", name="Delete").click()),
}  # fmt: skip


@pytest.mark.parametrize("state", STATES)
def test_a_state_is_accessible_and_fits_a_phone_in_the_dark(open_page: Opener, state: str) -> None:
    page = open_page(reduced_motion="reduce")
    STATES[state](page)
    assert violations(page) == []
    page.emulate_media(color_scheme="dark")
    page.set_viewport_size({"width": 360, "height": 740})
    assert width_beyond(page) <= 0
    assert violations(page) == []


def test_what_is_read_aloud_is_read_once(page: Any, engine: ScriptedEngine) -> None:
    """Each step is added once to the log; the lists and tables of an answer are not read by themselves."""
    log = page.get_by_role("log")
    expect(log).to_have_attribute("aria-live", "polite")
    page.evaluate(
        """() => {
            globalThis.added = [];
            const nodes = records => records.flatMap(one => [...one.addedNodes]);
            const note = records => added.push(...nodes(records).map(node => node.textContent));
            new MutationObserver(note).observe(document.querySelector("[role=log]"), {childList: true, subtree: true});
        }"""
    )
    article = begin_slow(page)
    engine.go.set()
    expect(article.locator(".answer")).to_be_visible()
    added = page.evaluate("added")
    assert sum("Running query 2" in text for text in added) == 1
    assert page.evaluate("document.querySelector('.evidence').ariaLive") == "off"


def test_a_key_is_asked_for_once_and_kept_for_the_tab(page: Any) -> None:
    key = "sk-orchard-0123456789"

    def guard(route: Any) -> None:
        if route.request.headers.get("authorization") == f"Bearer {key}":
            route.fallback()
        else:
            route.fulfill(status=401, json={"detail": "this service asks for a key"})

    for path in ("health", "chat", "chat/*", "graph*"):
        page.context.route(f"**/{path}", guard)
    page.reload()
    page.get_by_role("textbox", name="Key").fill("wrong")
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog")).to_contain_text("The service does not know this key.")
    assert violations(page) == []
    page.get_by_role("textbox", name="Key").fill(key)
    page.keyboard.press("Enter")
    ask(page, PLANTED)
    page.reload()
    expect(page.locator("article .answer")).to_contain_text("Ida Moor")
    assert page.evaluate("Object.values(localStorage).join().includes('sk-')") is False


def test_limits_are_told(page: Any) -> None:
    limit = {"what": "questions a day", "limit": 1000, "left": 999, "of": "key", "resets": "2030-01-01T00:00:00Z"}
    health = page.request.get(page.url.split("#")[0] + "health").json()
    page.context.route("**/health", lambda route: route.fulfill(json={**health, "limits": [limit]}))
    page.reload()
    expect(page.locator("#service-facts")).to_contain_text("999 of 1,000 questions a day left for your key")
