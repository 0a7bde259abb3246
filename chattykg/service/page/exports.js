/** Conversations as files. */

import { valueText } from "./values.js";

/** Return a conversation as JSON Lines: a turn a line, as the service replied. */
export function toJsonLines({ turns, id, dataset }) {
  return turns.map(turn => `${JSON.stringify({ session: id, dataset, ...turn })}\n`).join("");
}

/** Return a conversation as Markdown. */
export function toMarkdown({ title, dataset, turns }) {
  return [`# ${escape(title)}`, `Graph: ${escape(dataset)}`, ...turns.flatMap(turnParts)].join("\n\n") + "\n";
}

function turnParts(turn) {
  return [
    `## ${escape(turn.question)}`,
    escape(turn.sentence),
    ...(turn.table
      ? [toMarkdownTable(turn.table)]
      : turn.values.length > 1
        ? [turn.values.map(toItem).join("\n")]
        : []),
    ...(turn.notes ?? []).map(note => `*${escape(note)}*`),
    ...(turn.sparql ? [toCodeBlock(turn.query || turn.sparql)] : []),
  ];
}

const toItem = value => `- ${escape(valueText(value))}${value.type ? ` (${escape(value.type)})` : ""}`;

function toMarkdownTable({ columns, rows }) {
  const line = cells => `| ${cells.join(" | ")} |`;
  const texts = rows.map(row => line(row.map(value => (value ? escape(valueText(value)) : ""))));
  return [line(columns.map(escape)), line(columns.map(() => "---")), ...texts].join("\n");
}

/** Return a query as a block of code, with a fence longer than any within. */
function toCodeBlock(text) {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}sparql\n${text}\n${fence}`;
}

/** Return text that Markdown shows as it is, on one line. */
function escape(text) {
  return text
    .replace(/\s+/g, " ")
    .replace(/[\\`*_{}[\]()#+\-.!|~>]/g, "\\$&")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;");
}
