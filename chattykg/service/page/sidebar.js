/** The list of conversations, the choice of the graph, and what the service tells of itself. */

import { element, shorten } from "./elements.js";
import { chatHref } from "./routes.js";
import { listConversations } from "./storage.js";

const DAY = 24 * 3600 * 1000;
const at = id => document.getElementById(id);

/** Show the list; `current` is the id of the conversation that is shown. */
export function showConversations(current, hasSeveralGraphs) {
  const entry = ({ id, title, dataset, time }) => {
    const when = [hasSeveralGraphs ? shorten(dataset, 30) : "", describeTime(time)].filter(Boolean).join(" · ");
    return element(
      "a",
      { href: chatHref(id), "aria-current": id === current ? "page" : null },
      element("bdi", { class: "title" }, shorten(title, 80)),
      element("span", { class: "when" }, when),
    );
  };
  at("conversations").replaceChildren(...listConversations().map(one => element("li", {}, entry(one))));
}

function describeTime(time) {
  const date = new Date(time);
  const isRecent = Date.now() - time < DAY;
  return isRecent
    ? date.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" })
    : date.toLocaleDateString([], { day: "numeric", month: "short", year: "numeric" });
}

/** Fill the choice of the graph, which is hidden if there is only one. */
export function showDatasets(datasets, choose) {
  at("dataset").replaceChildren(...datasets.map(({ name }) => element("option", { value: name }, name)));
  at("dataset").addEventListener("change", () => choose(at("dataset").value));
  at("graph-choice").hidden = datasets.length < 2;
  at("new-conversation").hidden = false;
}

/** Show the model, the version and the limits of the service. */
export function showServiceFacts({ model, version, limits = [] }) {
  const facts = [`Answered by ${model}`, version && `chattykg ${version}`, ...limits.map(describeLimit)].filter(
    Boolean,
  );
  at("service-facts").replaceChildren(...facts.map(fact => element("p", {}, fact)));
}

/** Return what is left of a limit, for instance of the questions a day. */
function describeLimit({ what, limit, left, of: owner }) {
  const count = number => number.toLocaleString("en", { maximumFractionDigits: 4 });
  return `${count(left)} of ${count(limit)} ${what} left${owner === "key" ? " for your key" : ""}`;
}

/** Let a button open and close the list where the window is narrow. */
export function addListToggle() {
  const toggle = at("toggle-list");
  const set = isOpen => toggle.setAttribute("aria-expanded", String(isOpen));
  toggle.addEventListener("click", () => set(toggle.getAttribute("aria-expanded") !== "true"));
  addEventListener("popstate", () => set(false));
  return () => set(false);
}
