/** What the browser keeps: for all tabs the list of conversations; for one tab its place, its question and its key. */

const CONVERSATIONS = "chattykg-conversations";
const PENDING = "chattykg-pending";
const PLACE = "chattykg-place";
const KEY = "chattykg-key";
/** Conversations in the list; the longest unused ones leave it. */
const MAX_CONVERSATIONS = 200;

/**
 * @typedef {{id: string, title: string, dataset: string, time: number}} KeptConversation
 * @typedef {{question: string, session: string, hash: string}} PendingQuestion
 */

/** Use a storage; return null where the browser does not allow it or its content is not readable. */
function attempt(action) {
  try {
    return action();
  } catch {
    return null;
  }
}

function read(storage, name) {
  return attempt(() => JSON.parse(storage().getItem(name)));
}

function write(storage, name, value) {
  attempt(() => (value === null ? storage().removeItem(name) : storage().setItem(name, JSON.stringify(value))));
}

const ofBrowser = () => localStorage;
const ofTab = () => sessionStorage;

/**
 * Return the conversations, latest first.
 * @returns {KeptConversation[]}
 */
export function listConversations() {
  const kept = read(ofBrowser, CONVERSATIONS);
  return Array.isArray(kept) ? kept.filter(one => one && typeof one.id === "string") : [];
}

export function findConversation(id) {
  return listConversations().find(one => one.id === id);
}

/** Keep a conversation, or what changed of it; other tabs may have written in the meantime. */
export function keepConversation(id, changes) {
  const all = listConversations();
  const kept = { title: "", dataset: "", time: Date.now(), ...all.find(one => one.id === id), ...changes, id };
  const others = all.filter(one => one.id !== id);
  const byTime = [kept, ...others].sort((first, second) => second.time - first.time);
  write(ofBrowser, CONVERSATIONS, byTime.slice(0, MAX_CONVERSATIONS));
}

export function removeConversation(id) {
  write(
    ofBrowser,
    CONVERSATIONS,
    listConversations().filter(one => one.id !== id),
  );
}

/** Call `listen` when another tab changed the list. */
export function onListChange(listen) {
  addEventListener("storage", event => {
    if (event.key === CONVERSATIONS) listen();
  });
}

/** @param {PendingQuestion | null} pending */
export const keepPending = pending => write(ofTab, PENDING, pending);
/** @returns {PendingQuestion | null} */
export const readPending = () => read(ofTab, PENDING);
/** @param {{hash: string, scroll: number}} place where the page was left */
export const keepPlace = place => write(ofTab, PLACE, place);
export const readPlace = () => read(ofTab, PLACE);
export const keepKey = key => write(ofTab, KEY, key);
export const readKey = () => read(ofTab, KEY) ?? "";
