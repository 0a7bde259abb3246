/** Tables of results: sorted by column, copied as CSV, and scrolling inside themselves. */

import { toCsv } from "./csv.js";
import { copyButton, element, fillStart, shorten } from "./elements.js";
import { compareValues, isNumber, valueNode } from "./values.js";

/** Rows that are shown at first. */
const TABLE_START = 20;

/**
 * Return a table with its buttons.
 * @param {{columns: string[], rows: import("./values.js").Value[][]}} table
 * @param {string} caption what the table holds, for people who listen
 */
export function resultTable(table, dataset, caption) {
  const body = element("tbody");
  const buttons = element("p", { class: "buttons" });
  const isNumeric = table.columns.map((_, place) => table.rows.every(row => !row[place] || isNumber(row[place])));
  const cell = (value, place) =>
    element(
      "td",
      isNumeric[place] ? { class: "number" } : {},
      value ? valueNode(value, dataset, { withType: false }) : "",
    );
  const show = rows => {
    const more = fillStart(body, rows, row => element("tr", {}, ...row.map(cell)), TABLE_START);
    buttons.replaceChildren(
      ...more,
      copyButton("Copy as CSV", () => toCsv({ ...table, rows })),
    );
  };
  show(table.rows);
  const head = element("tr", {}, ...sortableHeads(table, isNumeric, show));
  return element(
    "div",
    { class: "table", "aria-live": "off" },
    element(
      "div",
      { class: "scroll", role: "region", tabindex: "0", "aria-label": shorten(caption) },
      element("table", {}, element("caption", { class: "hidden" }, shorten(caption)), element("thead", {}, head), body),
    ),
    buttons,
  );
}

/** Return the heads of the columns; a click sorts, a second one the other way round. */
function sortableHeads({ columns, rows }, isNumeric, show) {
  const heads = columns.map((name, place) => {
    const sort = () => {
      const isUp = heads[place].getAttribute("aria-sort") !== "ascending";
      for (const head of heads) head.removeAttribute("aria-sort");
      heads[place].setAttribute("aria-sort", isUp ? "ascending" : "descending");
      show(sortRows(rows, place, isUp));
    };
    return element(
      "th",
      { scope: "col", class: isNumeric[place] ? "number" : null },
      element("button", { type: "button", click: sort }, element("bdi", {}, shorten(name))),
    );
  });
  return heads;
}

/** Return the rows in the order of a column; missing values come last. */
function sortRows(rows, place, isUp) {
  const present = rows.filter(row => row[place]);
  present.sort((first, second) => compareValues(first[place], second[place]) * (isUp ? 1 : -1));
  return [...present, ...rows.filter(row => !row[place])];
}
