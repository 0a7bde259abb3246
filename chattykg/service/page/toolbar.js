/** The head of a conversation: its title, and what can be done with it. */

import { button, copyButton, element, openDialog, saveFile, shorten } from "./elements.js";
import { toJsonLines, toMarkdown } from "./exports.js";
import { permalink } from "./routes.js";
import { ServiceError, call } from "./service.js";
import { keepConversation, removeConversation } from "./storage.js";

/** Characters of a file name that all systems take. */
const FILE_NAME_LENGTH = 60;

/**
 * Return the head of a conversation. A title that is the first question, which stands below, is there to be heard.
 * @param {import("./conversation.js").Conversation} conversation
 * @param {{onRename: () => void, onDelete: () => void}} hooks
 */
export function conversationHead(conversation, { onRename, onDelete }) {
  const isRenamed = conversation.title && conversation.title !== conversation.turns[0]?.question;
  const name = shorten(
    conversation.title || (conversation.dataset ? `Ask ${conversation.dataset}` : "Conversation"),
    120,
  );
  const title = element("h1", { tabindex: "-1", dir: "auto", class: isRenamed ? null : "hidden" }, name);
  if (!conversation.turns.length) return [title];
  const save = (suffix, type, text) => saveFile(`${fileName(conversation.title)}.${suffix}`, type, text);
  return [
    title,
    element(
      "p",
      { class: "buttons", role: "group", "aria-label": "This conversation" },
      copyButton("Copy link", () => permalink(conversation.id)),
      button("Rename", () => rename(conversation, onRename), "quiet"),
      button("Save as Markdown", () => save("md", "text/markdown", toMarkdown(conversation)), "quiet"),
      button("Save as JSON Lines", () => save("jsonl", "application/jsonl", toJsonLines(conversation)), "quiet"),
      button("Delete", () => remove(conversation, onDelete), "quiet"),
    ),
  ];
}

const fileName = title =>
  title
    .replace(/[^\p{L}\p{N}]+/gu, "-")
    .replace(/^-|-$/g, "")
    .slice(0, FILE_NAME_LENGTH) || "conversation";

async function rename(conversation, onRename) {
  const request = { title: "Rename", text: "The name is kept in this browser only.", action: "Rename", field: "Name" };
  const title = (await openDialog({ ...request, value: conversation.title }))?.trim();
  if (!title) return;
  keepConversation(conversation.id, { title });
  onRename();
}

async function remove(conversation, onDelete) {
  const text = "The service forgets it, and links to it no longer work.";
  if ((await openDialog({ title: "Delete this conversation?", text, action: "Delete" })) === null) return;
  try {
    await call(`chat/${conversation.id}`, { method: "DELETE" });
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    await openDialog({ title: "It was not deleted", text: error.message, action: "Go on" });
    return;
  }
  removeConversation(conversation.id);
  onDelete();
}
