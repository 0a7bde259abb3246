/** Facts as a picture of a graph. Only `drawFacts` loads the library. */

import cytoscape from "./vendor/cytoscape.esm.min.mjs";

import { shorten, visible } from "./elements.js";
import { thingHref } from "./routes.js";
import { valueText } from "./values.js";

/** Facts in a picture: with more, no label can be read. */
const MAX_FACTS = 40;
/** Characters of a label in the picture. */
const LABEL_LENGTH = 28;

/**
 * Draw facts into an element; a click on a thing leads to its page.
 * @param {HTMLElement} frame
 * @param {any[]} facts
 */
export function drawFacts(frame, facts, dataset) {
  const drawn = facts.slice(0, MAX_FACTS);
  frame.setAttribute("role", "img");
  frame.setAttribute("aria-label", `A picture of ${drawn.length} of the ${facts.length} facts that are listed above`);
  const graph = cytoscape({
    container: frame,
    elements: elementsOf(drawn),
    style: styleOf(getComputedStyle(frame)),
    layout: {
      name: "cose",
      animate: false,
      randomize: false,
      padding: 24,
      nodeRepulsion: () => 400000,
      idealEdgeLength: () => 110,
    },
    userZoomingEnabled: false,
    maxZoom: 1.2,
    boxSelectionEnabled: false,
  });
  graph.on("tap", "node[iri]", event => (location.hash = thingHref(dataset, event.target.data("iri"))));
}

const nameOf = value => visible(shorten(valueText(value), LABEL_LENGTH));

function elementsOf(facts) {
  const nodes = new Map();
  const idOf = value => {
    const id = `${value.kind} ${value.value}`;
    if (!nodes.has(id))
      nodes.set(id, { id, label: nameOf(value), ...(value.kind === "iri" ? { iri: value.value } : {}) });
    return id;
  };
  const edges = facts.map(({ subject, predicate, object }) => ({
    data: { source: idOf(subject), target: idOf(object), label: nameOf(predicate) },
  }));
  const angle = (2 * Math.PI) / nodes.size;
  const place = number => ({ x: 150 * Math.cos(angle * number), y: 100 * Math.sin(angle * number) });
  return [...[...nodes.values()].map((data, number) => ({ data, position: place(number) })), ...edges];
}

function styleOf(computed) {
  const colour = name => computed.getPropertyValue(name).trim();
  const text = { label: "data(label)", "font-family": computed.fontFamily, color: colour("--ink") };
  return [
    {
      selector: "node",
      style: {
        ...text,
        "font-size": 13,
        width: 12,
        height: 12,
        "background-color": colour("--soft"),
        "text-valign": "bottom",
        "text-margin-y": 5,
        "text-wrap": "wrap",
        "text-max-width": 120,
        "text-background-color": colour("--ground"),
        "text-background-opacity": 1,
        "text-background-padding": 1,
      },
    },
    { selector: "node[iri]", style: { "background-color": colour("--accent") } },
    {
      selector: "edge",
      style: {
        ...text,
        "font-size": 11,
        color: colour("--soft"),
        width: 1.5,
        "line-color": colour("--soft"),
        "line-opacity": 0.45,
        "curve-style": "bezier",
        "target-arrow-shape": "triangle",
        "target-arrow-color": colour("--soft"),
        "text-background-color": colour("--ground"),
        "text-background-opacity": 1,
        "text-background-padding": 2,
        "text-rotation": "autorotate",
      },
    },
  ];
}
