/** Tables as CSV (RFC 4180). */

import { valueText } from "./values.js";

/** Beginnings that a spreadsheet reads as a formula. */
const FORMULA_START = /^[=+\-@\t\r]/;
const PLAIN_NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

/**
 * Return a table as CSV: names, numbers and dates as they are, and the IRIs of things in columns of their own.
 * @param {{columns: string[], rows: import("./values.js").Value[][]}} table
 */
export function toCsv({ columns, rows }) {
  const hasIris = columns.map((_, place) => rows.some(row => row[place]?.kind === "iri"));
  const header = columns.flatMap((name, place) => (hasIris[place] ? [name, `${name} IRI`] : [name]));
  const records = rows.map(row => columns.flatMap((_, place) => fieldsOf(row[place], hasIris[place])));
  return [header, ...records].map(fields => `${fields.map(quoteField).join(",")}\r\n`).join("");
}

function fieldsOf(value, hasIri) {
  const isIri = value?.kind === "iri";
  const text = value ? (isIri ? valueText(value) : value.label || value.value) : "";
  return hasIri ? [text, isIri ? value.value : ""] : [text];
}

/** Quote a field where it needs that; an apostrophe keeps a spreadsheet from running it as a formula. */
function quoteField(text) {
  const guarded = FORMULA_START.test(text) && !PLAIN_NUMBER.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(guarded) ? `"${guarded.replaceAll('"', '""')}"` : guarded;
}
