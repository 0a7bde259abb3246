/** Requests to the service. */

import { openDialog } from "./elements.js";
import { keepKey, readKey } from "./storage.js";

const JSON_TYPE = { "Content-Type": "application/json" };
/** The status of a failure to reach the service. */
export const UNREACHABLE = 0;

/** A request that failed: the HTTP status, and a sentence for people. */
export class ServiceError extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

/** Return the JSON of a reply; a body makes the request a POST. */
export async function call(path, { method = "GET", body = null } = {}) {
  const options = body ? { method: "POST", headers: JSON_TYPE, body: JSON.stringify(body) } : { method };
  const response = await send(path, options);
  if (response.status === 204) return null;
  return response.json().catch(() => {
    throw new ServiceError(response.status, "Something else than the service replied; a proxy may ask you to log in.");
  });
}

/**
 * Return what the service serves; without a key, a service that asks for one does not tell.
 * @returns {Promise<{datasets: {name: string}[], model: string, version: string, limits?: object[]}>}
 */
export async function readHealth() {
  const health = await call("health");
  if (health.datasets) return health;
  if (!(await askForKey(""))) throw new ServiceError(401, "This service answers to those who have a key.");
  return readHealth();
}

/**
 * Ask a question and yield the events of its answer.
 * @param {{question: string, dataset: string, session: string}} body
 * @param {AbortSignal} signal
 * @returns {AsyncGenerator<{name: string, data: any}>}
 */
export async function* streamAnswer(body, signal) {
  const headers = { ...JSON_TYPE, Accept: "text/event-stream" };
  const response = await send("chat", { method: "POST", headers, body: JSON.stringify(body), signal });
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const { value, done } = await reader.read().catch(asUnreachable);
    if (done) return;
    const parts = (text + value).split("\n\n");
    text = parts.pop();
    for (const part of parts) if (part.startsWith("event: ")) yield parseEvent(part);
  }
}

function parseEvent(text) {
  const [name, data] = text.split("\n").map(line => line.slice(line.indexOf(": ") + 2));
  return { name, data: JSON.parse(data) };
}

/** Send a request, with the API key if there is one; ask for it if the service wants one. */
async function send(path, options) {
  for (;;) {
    const key = readKey();
    const headers = { ...options.headers, ...(key ? { Authorization: `Bearer ${key}` } : {}) };
    const response = await fetch(path, { ...options, headers }).catch(asUnreachable);
    if (response.ok) return response;
    const reply = await response.json().catch(() => ({}));
    const message = describeDetail(reply) || `The service refused (status ${response.status}).`;
    if (response.status !== 401 || !(await askForKey(key))) throw new ServiceError(response.status, message);
  }
}

function describeDetail(reply) {
  const text = typeof reply.detail === "string" ? reply.detail : "";
  return text && text[0].toUpperCase() + text.slice(1) + (/[.!?]$/.test(text) ? "" : ".");
}

function asUnreachable(error) {
  if (error.name === "AbortError") throw error;
  throw new ServiceError(UNREACHABLE, "The service does not answer. It may have stopped, or the network is down.");
}

let openRequest = null;

/** Ask for the API key, once for all requests that wait; return whether there is another one now. */
async function askForKey(refused) {
  if (readKey() !== refused) return true;
  openRequest ??= openDialog({
    title: "API key",
    text: refused ? "The service does not know this key." : "This service answers to those who have a key.",
    action: "Go on",
    field: "Key",
    type: "password",
  }).finally(() => (openRequest = null));
  const key = (await openRequest)?.trim();
  if (key) keepKey(key);
  return Boolean(key);
}
