/** The empty page: what is in the graph, and questions to begin with. */

import { offers } from "./answer.js";
import { element, shorten } from "./elements.js";
import { ServiceError, call } from "./service.js";

/** Milliseconds after which the page asks again for examples that are being made, and how often it does. */
const EXAMPLES_PAUSE = 2000;
const EXAMPLES_ATTEMPTS = 60;
/** Classes that the line about the graph names. */
const CLASSES_SHOWN = 5;

/**
 * Return the welcome to a graph; its content comes when the service has described the graph.
 * @param {(question: string) => void} ask
 */
export function welcome(dataset, ask) {
  const line = element("p", { class: "lead" });
  const examples = element("div");
  const section = element(
    "section",
    { class: "welcome", "aria-live": "off" },
    element("p", { class: "answer" }, "What would you like to know?"),
    line,
    examples,
  );
  fillWelcome(dataset, ask, line, examples);
  return section;
}

async function fillWelcome(dataset, ask, line, examples) {
  for (let attempt = 0; attempt < EXAMPLES_ATTEMPTS; attempt++) {
    const graph = await describeGraph(dataset);
    if (!graph) return;
    line.textContent = "";
    line.append(...graphLine(graph));
    if (graph.examples.length) {
      examples.replaceChildren(element("h2", {}, "For example"), offers("Example questions", graph.examples, ask));
    }
    if (graph.is_complete) return;
    await new Promise(resolve => setTimeout(resolve, EXAMPLES_PAUSE));
    if (!line.isConnected) return;
  }
}

/** Return the description of a graph, or null if the service does not give one: the page works without it. */
async function describeGraph(dataset) {
  try {
    return await call(`graph?${new URLSearchParams({ dataset })}`);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return null;
  }
}

/** Return what is in a graph, in a line. */
function graphLine({ name, triples, classes }) {
  const count = number => number.toLocaleString("en");
  const shown = classes
    .slice(0, CLASSES_SHOWN)
    .flatMap(({ label, count: size }, place) => [
      place ? " · " : ": ",
      element("bdi", {}, shorten(label, 40)),
      ` ${count(size)}`,
    ]);
  return [element("bdi", {}, shorten(name, 80)), ` holds ${count(triples)} facts`, ...shown];
}
