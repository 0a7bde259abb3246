/** The page: follows its addresses, shows conversations and things, and passes on what is typed. */

import { failureParts } from "./answer.js";
import { Conversation } from "./conversation.js";
import { announce, button, element } from "./elements.js";
import { chatHref, newHref, parseRoute } from "./routes.js";
import { ServiceError, call, readHealth } from "./service.js";
import { addListToggle, showConversations, showDatasets, showServiceFacts } from "./sidebar.js";
import { keepPending, keepPlace, onListChange, readPending, readPlace } from "./storage.js";
import { thingPage } from "./thing.js";
import { conversationHead } from "./toolbar.js";

const at = id => document.getElementById(id);
/**
 * @type {{datasets: string[], conversations: Conversation[], current: Conversation | null, recalled: number,
 *   hasLimits: boolean}}
 */
const state = { datasets: [], conversations: [], current: null, recalled: 0, hasLimits: false };
const hooks = { onChange: refresh, onReturn: returnQuestion, onFocusLost: focusInput, startNew };
const closeList = addListToggle();

function navigate(hash) {
  history.pushState(null, "", hash);
  showRoute();
}

function startNew(dataset, question = "") {
  navigate(newHref(dataset || state.datasets[0]));
  if (question) state.current.ask(question);
}

/** Show what the address names, and remember the place in the conversation that is left. */
function showRoute() {
  const route = parseRoute(location.hash);
  if (state.current?.log.isConnected) state.current.scroll = scrollY;
  if (route.view === "thing") showThing(route);
  else showConversation(findConversation(route));
}

/** Return the conversation of an address; one that has no id yet is found by its key in the history. */
function findConversation({ id = "", dataset = "" }) {
  const key = history.state?.key;
  const known = state.conversations.find(one => (id ? one.id === id : one.key === key));
  if (known) return known;
  const isServed = state.datasets.includes(dataset);
  const added = new Conversation({ id, dataset: id ? "" : isServed ? dataset : state.datasets[0] }, hooks);
  state.conversations.push(added);
  added.loading = added.load();
  return added;
}

function showConversation(conversation) {
  state.current = conversation;
  state.recalled = 0;
  at("main").replaceChildren(element("div", { id: "head" }), conversation.log);
  at("ask").hidden = false;
  refresh(conversation);
  conversation.loading.then(() => showPlace(conversation));
  focusInput();
}

/** Focus the input; on a touch screen that would open the keyboard, so there the content gets the focus. */
function focusInput() {
  const target = matchMedia("(pointer: fine)").matches ? at("question") : at("main");
  target.focus({ preventScroll: true });
}

/** Scroll to where a conversation was left, or to its last answer; who follows a link reads from the beginning. */
function showPlace(conversation) {
  if (!conversation.log.isConnected || conversation.isAsking) return;
  const last = conversation.log.querySelector("article:last-child");
  if (conversation.scroll === null && last && !conversation.isShared) last.scrollIntoView({ block: "start" });
  else scrollTo(0, conversation.scroll ?? 0);
}

function showThing({ dataset, iri }) {
  at("ask").hidden = true;
  const back = state.current
    ? [element("p", { class: "buttons" }, button("Back to the conversation", returnToConversation, "quiet"))]
    : [];
  at("main").replaceChildren(
    ...back,
    thingPage(dataset, iri, question => askAbout(dataset, question)),
  );
  scrollTo(0, 0);
}

function returnToConversation() {
  const { id, key, dataset } = state.current;
  history.pushState(id ? null : { key }, "", id ? chatHref(id) : newHref(dataset));
  showRoute();
}

/** Ask about a thing in the last conversation, if it is about the same graph. */
function askAbout(dataset, question) {
  if (state.current?.dataset !== dataset || state.current.isAsking) return startNew(dataset, question);
  returnToConversation();
  return state.current.ask(question);
}

/** Show the state of a conversation: its address, its head, its place in the list, and whether it can be asked. */
function refresh(conversation) {
  if (conversation === state.current && conversation.log.isConnected) {
    const { id, key, dataset, isAsking, title } = conversation;
    if (id) history.replaceState(null, "", chatHref(id));
    else history.replaceState({ key }, "");
    document.title = title || `Ask ${dataset}`;
    at("head").replaceChildren(
      ...conversationHead(conversation, { onRename: showNewName, onDelete: () => startNew(dataset) }),
    );
    at("send").hidden = isAsking;
    at("stop").hidden = !isAsking;
    if (dataset) at("dataset").value = dataset;
  }
  if (state.hasLimits && !conversation.isAsking) readHealth().then(showServiceFacts, ignoreFailure);
  showList();
}

/** What is left of the limits is shown again with the next answer. */
function ignoreFailure(error) {
  if (!(error instanceof ServiceError)) throw error;
}

function showNewName() {
  refresh(state.current);
  at("head").firstChild.focus();
}

function showList() {
  showConversations(state.current?.id, state.datasets.length > 1);
}

function returnQuestion(question) {
  if (!at("question").value) at("question").value = question;
  at("question").focus();
}

function submit(event) {
  event.preventDefault();
  const question = at("question").value.trim();
  if (!question || !state.current || state.current.isAsking) return;
  at("question").value = "";
  state.recalled = 0;
  announce("");
  state.current.ask(question);
  at("question").focus();
}

/** Enter asks, Shift and Enter begin a line, and the arrows bring back earlier questions. */
function typeKey(event) {
  if (event.key === "Enter" && !event.shiftKey && !event.isComposing) submit(event);
  if (event.key === "ArrowUp") recall(event, 1);
  if (event.key === "ArrowDown") recall(event, -1);
}

function recall(event, step) {
  const questions = state.current.questions;
  const isOwnText = at("question").value !== (questions.at(-state.recalled) ?? "") && state.recalled;
  const place = state.recalled + step;
  if (isOwnText || (!state.recalled && at("question").value) || place < 0 || place > questions.length) return;
  event.preventDefault();
  state.recalled = place;
  at("question").value = place ? questions.at(-place) : "";
}

function pressKey(event) {
  if (event.key !== "Escape" || document.querySelector("dialog[open]") || !state.current?.isAsking) return;
  event.preventDefault();
  stop();
}

function stop() {
  state.current.stop();
  at("question").focus();
}

/** Bring back a question that was not answered when this tab was loaded again. */
async function restorePending() {
  const pending = readPending();
  keepPending(null);
  if (!pending || pending.hash !== location.hash) return;
  if (pending.session && parseRoute(location.hash).view === "new" && (await isKept(pending.session))) {
    history.replaceState(null, "", chatHref(pending.session));
    showRoute();
  }
  await state.current.loading;
  if (state.current.questions.at(-1) !== pending.question) state.current.showLost(pending.question);
}

async function isKept(session) {
  try {
    return (await call(`chat/${session}`)).turns.length > 0;
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return false;
  }
}

function listen() {
  at("ask").addEventListener("submit", submit);
  at("question").addEventListener("keydown", typeKey);
  at("stop").addEventListener("click", stop);
  at("new-conversation").addEventListener("click", () => {
    closeList();
    startNew(state.current?.dataset);
  });
  at("skip").addEventListener("click", event => {
    event.preventDefault();
    at("question").focus();
  });
  document.addEventListener("keydown", pressKey);
  addEventListener("popstate", showRoute);
  addEventListener("pagehide", () => keepPlace({ hash: location.hash, scroll: scrollY }));
  onListChange(showList);
}

/** Ask the service what it serves, and show what the address names. */
async function begin() {
  at("ask").hidden = true;
  try {
    const health = await readHealth();
    state.datasets = health.datasets.map(dataset => dataset.name);
    showDatasets(health.datasets, dataset => startNew(dataset));
    showServiceFacts(health);
    state.hasLimits = Boolean(health.limits?.length);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const title = element("h1", { class: "hidden" }, document.title);
    at("main").replaceChildren(
      title,
      element("div", { class: "log" }, ...failureParts(error.message, "Try again", begin)),
    );
    return;
  }
  showRoute();
  const place = readPlace();
  if (place?.hash === location.hash && state.current) state.current.scroll = place.scroll;
  await restorePending();
}

history.scrollRestoration = "manual";
listen();
await begin();
