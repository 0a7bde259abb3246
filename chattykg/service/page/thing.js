/** The page about a thing: what the graph says of it. */

import { failureParts } from "./answer.js";
import { button, element, paragraph, shorten } from "./elements.js";
import { ServiceError, call } from "./service.js";
import { valueNode } from "./values.js";

/**
 * Return the page about a thing; its content comes from the service.
 * @param {(question: string) => void} ask begins a question about the thing
 */
export function thingPage(dataset, iri, ask) {
  const page = element(
    "section",
    { class: "thing", "aria-busy": "true" },
    element("p", { class: "lead" }, "Looking it up"),
  );
  fillPage(page, dataset, iri, ask);
  return page;
}

async function fillPage(page, dataset, iri, ask) {
  try {
    const thing = await call(`thing?${new URLSearchParams({ dataset, iri })}`);
    document.title = shorten(thing.label || iri, 80);
    page.replaceChildren(...thingParts(thing, dataset, ask));
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    page.replaceChildren(heading(iri), ...problemParts(error, () => fillPage(page, dataset, iri, ask)));
  }
  page.removeAttribute("aria-busy");
  page.querySelector("h1").focus({ preventScroll: true });
}

/** Return what is shown of a thing that the graph does not know, or that could not be looked up. */
function problemParts(error, tryAgain) {
  return error.status === 404
    ? [element("p", {}, "The graph states nothing of it, or there is no such graph here.")]
    : failureParts(error.message, "Try again", tryAgain);
}

/** The class of a thing says what it is; the things of a class say what the class is. */
const RDF_TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type";

const heading = text => element("h1", { tabindex: "-1", dir: "auto" }, shorten(text));

function thingParts(thing, dataset, ask) {
  const label = thing.label || thing.iri;
  const classes = thing.classes.map(one => valueNode(one, dataset));
  const names = thing.names.map(one => one.value).filter(name => name !== label);
  const members = thing.incoming.filter(one => one.predicate === RDF_TYPE);
  const incoming = thing.incoming.filter(one => one.predicate !== RDF_TYPE);
  const facts = [...thing.outgoing, ...incoming];
  return [
    heading(label),
    ...line("", classes),
    element("p", { class: "iri" }, iriNode(thing.iri)),
    ...line(
      "Also: ",
      names.map(name => element("bdi", {}, shorten(name))),
    ),
    element(
      "p",
      { class: "buttons" },
      button("Ask about it", () => ask(`Tell me about ${label}`), "main"),
    ),
    ...thing.texts.map(text => paragraph(text.value, { class: "text" })),
    ...statements("What the graph says of it", thing.outgoing, dataset),
    ...(members.length ? [element("h2", {}, "Things of this class"), groupList(members, dataset)] : []),
    ...statements("What refers to it", incoming, dataset),
    ...metadata(
      facts.filter(one => one.is_metadata),
      dataset,
    ),
    ...(thing.is_cut ? [element("p", { class: "lead" }, "There is more than is shown here.")] : []),
  ];
}

/** Return a line of nodes with commas, if there are any. */
function line(start, nodes) {
  return nodes.length ? [element("p", { class: "lead" }, start, ...commaSeparated(nodes))] : [];
}

function commaSeparated(nodes) {
  return nodes.flatMap((node, place) => (place ? [", ", node] : [node]));
}

/** Return an IRI, as a link if a browser can open it. */
function iriNode(iri) {
  const attributes = { href: iri, rel: "noreferrer noopener", target: "_blank" };
  return /^https?:\/\//i.test(iri) ? element("a", attributes, shorten(iri)) : element("bdi", {}, shorten(iri));
}

function statements(title, facts, dataset) {
  const groups = facts.filter(one => !one.is_metadata);
  return groups.length ? [element("h2", {}, title), groupList(groups, dataset)] : [];
}

function metadata(groups, dataset) {
  if (!groups.length) return [];
  return [element("details", {}, element("summary", {}, "Identifiers and records"), groupList(groups, dataset))];
}

function groupList(groups, dataset) {
  return element(
    "dl",
    {},
    ...groups.map(group =>
      element(
        "div",
        {},
        element("dt", {}, element("bdi", {}, shorten(group.label))),
        ...group.values.map(value => element("dd", {}, valueNode(value, dataset))),
        ...restOf(group),
      ),
    ),
  );
}

function restOf({ count, values, is_count_exact: isExact, is_cut: isCut }) {
  const rest = count - values.length;
  if (rest <= 0 && !isCut) return [];
  const text = rest > 0 ? `and ${isExact === false ? "at least " : ""}${rest.toLocaleString("en")} more` : "and more";
  return [element("dd", { class: "rest" }, text)];
}
