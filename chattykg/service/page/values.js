/** Values of the graph as text, as links to the pages about them, and in their order. */

import { element, fillStart, shorten } from "./elements.js";
import { thingHref } from "./routes.js";

/**
 * @typedef {{value: string, kind: string, label?: string, type?: string, datatype?: string, lang?: string}} Value
 */

const XSD = "http://www.w3.org/2001/XMLSchema#";
const NUMBER_TYPES = /^(integer|decimal|double|float|long|int|short|byte|unsigned\w+|\w+Integer)$/;
const DATE_TYPES = /^(date|dateTime|dateTimeStamp|gYear|gYearMonth)$/;
/** Values of a list that are shown at first. */
const LIST_START = 20;
const BOOLEANS = { true: "yes", false: "no" };

const typeName = value => (value.datatype?.startsWith(XSD) ? value.datatype.slice(XSD.length) : "");

/** Tell whether a value is a number. @param {Value} value */
export function isNumber(value) {
  return (value.kind === "number" || NUMBER_TYPES.test(typeName(value))) && Number.isFinite(Number(value.value));
}

/** Return the name of a value for people. @param {Value} value */
export function valueText(value) {
  if (value.label) return value.label;
  if (value.kind === "boolean" || typeName(value) === "boolean") return BOOLEANS[value.value] ?? value.value;
  if (value.kind === "iri") return value.value.split(/[/#:]/).filter(Boolean).pop() ?? value.value;
  if (isNumber(value) && /^-?\d{5,15}$/.test(value.value)) return Number(value.value).toLocaleString("en");
  return value.value;
}

/** Return a value that people can read: a link if it is a thing, with its class beside it. */
export function valueNode(value, dataset, { withType = true } = {}) {
  const name = element("bdi", value.lang ? { lang: value.lang } : {}, shorten(valueText(value)));
  if (value.kind !== "iri") return name;
  const link = element("a", { href: thingHref(dataset, value.value), title: shorten(value.value) }, name);
  if (!withType || !value.type) return link;
  return element("span", {}, link, " ", element("bdi", { class: "type" }, shorten(value.type)));
}

/** Return a list of values by name and class, which shows its start. */
export function valueList(values, dataset) {
  const list = element("ul", { class: "values" });
  const buttons = fillStart(list, values, value => element("li", {}, valueNode(value, dataset)), LIST_START);
  return [list, buttons];
}

/** Return the order of two values: of numbers and dates by value, of others by name. */
export function compareValues(first, second) {
  if (isNumber(first) && isNumber(second)) return Number(first.value) - Number(second.value);
  const [early, late] = [dateOrder(first), dateOrder(second)];
  if (early && late) return early.year - late.year || compareCodes(early.rest, late.rest);
  return valueText(first).localeCompare(valueText(second), undefined, { numeric: true });
}

const compareCodes = (first, second) => (first < second ? -1 : Number(first > second));

/** Return the year of a date and what follows it, whose order is that of its characters; null for other values. */
function dateOrder(value) {
  const match = DATE_TYPES.test(typeName(value)) && /^(-?\d{4,})(.*)$/.exec(value.value);
  return match ? { year: Number(match[1]), rest: match[2] } : null;
}

/**
 * Return the things that a sentence names, by name; a name that two things share stands for none.
 * @param {string} sentence
 * @param {Value[]} things
 * @returns {Map<string, Value>}
 */
export function findNamed(sentence, things) {
  const byName = new Map();
  for (const thing of things) {
    if (thing.kind !== "iri" || !thing.label || !sentence.includes(thing.label)) continue;
    const isShared = byName.has(thing.label) && byName.get(thing.label)?.value !== thing.value;
    byName.set(thing.label, isShared ? null : thing);
  }
  return new Map([...byName].filter(([name, thing]) => thing && wordPattern([name]).test(sentence)));
}

/** Return the parts of a sentence, in which names are links. */
export function linkNames(sentence, named, dataset) {
  if (!named.size) return [sentence];
  const names = [...named.keys()].sort((first, second) => second.length - first.length);
  const nodeOf = name => valueNode(named.get(name), dataset, { withType: false });
  return sentence.split(wordPattern(names)).map((part, place) => (place % 2 ? nodeOf(part) : part));
}

/** Return a pattern of names that stand alone, not within a word. */
function wordPattern(names) {
  const escaped = names.map(name => name.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&"));
  return new RegExp(`(?<![\\p{L}\\p{N}])(${escaped.join("|")})(?![\\p{L}\\p{N}])`, "u");
}
