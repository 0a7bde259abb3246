/** The evidence of an answer: facts in words and as a picture, what the words mean, and the query. */

import { button, copyButton, element, fillStart, shorten } from "./elements.js";
import { ServiceError, call } from "./service.js";
import { resultTable } from "./table.js";
import { valueNode, valueText } from "./values.js";

/** Facts that are shown at first. */
const FACTS_START = 8;

/**
 * Return the closed evidence of an answer; its content is made when it is opened.
 * @param {any} turn a reply of POST /chat
 * @param {{text: string, sparql: string}[]} steps the steps of the answer, as far as this page saw them
 */
export function evidenceOf(turn, dataset, steps) {
  const details = element("details", { class: "evidence", "aria-live": "off" }, element("summary", {}, "Evidence"));
  details.addEventListener(
    "toggle",
    () =>
      details.append(
        ...factParts(turn, dataset),
        ...linkParts(turn, dataset),
        ...queryParts(turn, dataset),
        ...stepParts(steps),
      ),
    { once: true },
  );
  return details;
}

const heading = text => element("h3", {}, text);

function factParts(turn, dataset) {
  const facts = turn.evidence ?? [];
  if (!facts.length) return [];
  const list = element("ul", { class: "facts" });
  const show = value => valueNode(value, dataset, { withType: false });
  const more = fillStart(
    list,
    facts,
    fact =>
      element(
        "li",
        {},
        show(fact.subject),
        " — ",
        element("bdi", { class: "predicate" }, shorten(valueText(fact.predicate))),
        " — ",
        show(fact.object),
      ),
    FACTS_START,
  );
  return [
    heading("Facts of the graph"),
    list,
    element("p", { class: "buttons" }, ...more, pictureButton(facts, dataset, list)),
  ];
}

/** Return a button that draws the facts below their list; the script for this is loaded then. */
function pictureButton(facts, dataset, list) {
  const show = button(
    "Show as a picture",
    async () => {
      show.disabled = true;
      const { drawFacts } = await import("./picture.js").catch(() => ({}));
      if (!drawFacts) {
        show.textContent = "The picture cannot be loaded: the service does not answer";
        return;
      }
      const frame = element("div", { class: "picture", tabindex: "-1" });
      list.after(frame);
      drawFacts(frame, facts, dataset);
      show.remove();
      frame.focus();
    },
    "quiet",
  );
  return show;
}

function linkParts(turn, dataset) {
  const links = [...turn.links.entities, ...turn.links.relations];
  if (!links.length) return [];
  const show = link =>
    element(
      "li",
      {},
      "“",
      element("bdi", {}, shorten(link.mention)),
      "” is ",
      valueNode({ ...link, value: link.iri, kind: "iri" }, dataset),
    );
  return [heading("What the words mean"), element("ul", { class: "facts" }, ...links.map(show))];
}

function queryParts(turn, dataset) {
  if (!turn.sparql) return [];
  const text = turn.query || turn.sparql;
  const result = element("div", { "aria-live": "polite" });
  const run = button("Run", () => runQuery(text, dataset, result, run), "quiet");
  return [
    heading("Query"),
    ...(turn.asked ? [element("p", { class: "lead", dir: "auto" }, shorten(turn.asked))] : []),
    element("pre", { tabindex: "0", role: "region", "aria-label": "Query" }, element("code", {}, text)),
    element(
      "p",
      { class: "buttons" },
      copyButton("Copy", () => text),
      run,
    ),
    result,
  ];
}

async function runQuery(sparql, dataset, result, run) {
  run.disabled = true;
  try {
    result.replaceChildren(...resultParts(await call("select", { body: { dataset, sparql } }), dataset));
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    result.replaceChildren(element("p", { class: "failure" }, error.message));
  }
  run.disabled = false;
}

function resultParts({ columns, rows, boolean, is_cut: isCut }, dataset) {
  if (typeof boolean === "boolean") return [element("p", {}, boolean ? "The result is: yes." : "The result is: no.")];
  const count = rows.length === 1 ? "1 row" : `${rows.length.toLocaleString("en")} rows`;
  return [
    element("p", { class: "lead" }, isCut ? `The first ${count}; there are more.` : `${count}.`),
    ...(rows.length ? [resultTable({ columns, rows }, dataset, "Result of the query")] : []),
  ];
}

function stepParts(steps) {
  if (!steps.length) return [];
  const show = step => element("li", {}, step.text);
  return [heading("Steps"), element("ol", { class: "facts" }, ...steps.map(show))];
}
