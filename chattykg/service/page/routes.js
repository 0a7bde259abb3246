/** Addresses within the page. They stand behind the `#`, so that no server and no log sees them. */

/**
 * @typedef {{view: "chat", id: string} | {view: "new", dataset: string}
 *   | {view: "thing", dataset: string, iri: string}} Route
 */

const SESSION_ID = /^[\w-]{1,64}$/;

export const chatHref = id => `#/chat/${id}`;
export const newHref = dataset => `#/new/${encodeURIComponent(dataset)}`;
export const thingHref = (dataset, iri) => `#/thing/${encodeURIComponent(dataset)}/${encodeURIComponent(iri)}`;

/**
 * Return what an address shows; an address that is not known begins a conversation.
 * @param {string} hash
 * @returns {Route}
 */
export function parseRoute(hash) {
  const [, view, ...parts] = hash.split("/");
  try {
    const [first = "", second = ""] = parts.map(decodeURIComponent);
    if (view === "chat" && SESSION_ID.test(first)) return { view, id: first };
    if (view === "thing" && second) return { view, dataset: first, iri: second };
    if (view === "new") return { view, dataset: first };
  } catch (error) {
    if (!(error instanceof URIError)) throw error;
  }
  return { view: "new", dataset: "" };
}

/** Return the address of a conversation for other people and browsers. */
export function permalink(id) {
  return new URL(chatHref(id), location.href).href;
}
