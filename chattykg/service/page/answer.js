/** An answer as people read it: sentence, values or table, notes, confidence, and what can be asked next. */

import { toCsv } from "./csv.js";
import { button, copyButton, element, paragraph, shorten } from "./elements.js";
import { evidenceOf } from "./evidence.js";
import { resultTable } from "./table.js";
import { findNamed, linkNames, valueList, valueText } from "./values.js";

/** Words for a confidence from this value on (0 to 1); the engine's confidence is calibrated as a probability. */
const CONFIDENCE_WORDS = [
  [0.9, "Very sure"],
  [0.75, "Quite sure"],
  [0.5, "Not quite sure"],
  [0, "Unsure"],
];

/**
 * Return the parts of an answer.
 * @param {any} turn a reply of POST /chat
 * @param {{dataset: string, ask: (question: string) => void, steps: any[]}} context
 */
export function answerParts(turn, { dataset, ask, steps }) {
  const named = findNamed(turn.sentence, [...turn.links.entities.map(asThing), ...turn.values]);
  return [
    ...(turn.standalone && turn.standalone !== turn.question
      ? [element("p", { class: "understood" }, "Understood as: ", element("bdi", {}, shorten(turn.standalone)))]
      : []),
    paragraph(turn.sentence, { class: "answer" }, part => linkNames(part, named, dataset)),
    ...resultParts(turn, named, dataset),
    ...noteParts(turn),
    ...offerParts(turn, ask),
    metaLine(turn),
    evidenceOf(turn, dataset, steps),
  ];
}

const asThing = link => ({ value: link.iri, kind: "iri", label: link.label });

/** Return the table, or the list of the values; those that the sentence says are links in it, and no list. */
function resultParts(turn, named, dataset) {
  if (turn.table) return [resultTable(turn.table, dataset, turn.asked || turn.question)];
  const isLiteralSaid = value => turn.values.length === 1 || turn.sentence.includes(valueText(value));
  const isSaid = value => (value.kind === "iri" ? named.get(value.label)?.value === value.value : isLiteralSaid(value));
  if (turn.values.every(isSaid)) return [];
  const [list, more] = valueList(turn.values, dataset);
  const table = { columns: ["answer", "class"], rows: turn.values.map(value => [value, asText(value.type ?? "")]) };
  return [
    element(
      "div",
      { "aria-live": "off" },
      list,
      element(
        "p",
        { class: "buttons" },
        ...more,
        copyButton("Copy as CSV", () => toCsv(table)),
      ),
    ),
  ];
}

const asText = text => ({ value: text, kind: "literal" });

function noteParts(turn) {
  const notes = (turn.notes ?? []).filter(note => note !== turn.sentence);
  return notes.length ? [element("ul", { class: "notes" }, ...notes.map(note => element("li", {}, note)))] : [];
}

function offerParts(turn, ask) {
  const options = (turn.clarification?.options ?? []).map(option => option.label);
  const suggestions = turn.suggestions ?? [];
  return [
    ...(options.length ? [offers("Options", options, ask)] : []),
    ...(suggestions.length
      ? [element("p", { class: "lead" }, "You can ask, for example:"), offers("Questions", suggestions, ask)]
      : []),
  ];
}

/** Return buttons that ask a question each. */
export function offers(name, questions, ask) {
  return element(
    "ul",
    { class: "offers", "aria-label": name },
    ...questions.map(question =>
      element(
        "li",
        {},
        element("button", { type: "button", click: () => ask(question) }, element("bdi", {}, shorten(question))),
      ),
    ),
  );
}

function metaLine(turn) {
  const seconds = `${turn.timing.total.toFixed(1)} s`;
  if (turn.status !== "answered") return element("p", { class: "meta" }, seconds);
  const words = CONFIDENCE_WORDS.find(([from]) => turn.confidence >= from)[1];
  return element("p", { class: "meta" }, `${words} (${turn.confidence.toFixed(2)}) · ${seconds}`);
}

/** Return the parts of a question without an answer: what happened, and a button to go on. */
export function failureParts(message, action, go) {
  return [element("p", { class: "failure" }, message), element("p", { class: "buttons" }, button(action, go))];
}
