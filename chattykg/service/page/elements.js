/** Elements of the page. All text passes through `visible`, and no text is read as HTML. */

/** Characters that reorder the text around them, and control characters. */
const INVISIBLE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;
/** Characters of a name that are shown; labels are rarely longer than 100. */
const LABEL_LENGTH = 160;
/** Characters of a paragraph that are shown at first: about ten lines. */
const PARAGRAPH_LENGTH = 800;
/** Milliseconds for which a button says that it has copied. */
const COPIED_PAUSE = 1500;

/**
 * Return text in which control characters and those that reverse the text around them can be seen.
 * @param {string} text
 */
export function visible(text) {
  const codeOf = character => character.codePointAt(0).toString(16).toUpperCase().padStart(4, "0");
  return text.replace(INVISIBLE, character => `[U+${codeOf(character)}]`);
}

/**
 * Return an element. An attribute that is a function listens to the event of its name; null and false are left out.
 * @param {string} tag
 * @param {Record<string, string | boolean | null | ((event: Event) => void)>} attributes
 * @param {...(Node | string)} children
 */
export function element(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") node.addEventListener(name, value);
    else if (value === true) node.setAttribute(name, "");
    else if (value !== null && value !== false) node.setAttribute(name, value);
  }
  node.append(...children.map(child => (typeof child === "string" ? visible(child) : child)));
  return node;
}

/**
 * Return a button.
 * @param {string} text
 * @param {(event: Event) => void} click
 * @param {string} kind a class of the style sheet
 */
export function button(text, click, kind = "") {
  return element("button", { type: "button", class: kind || null, click }, text);
}

/** Return a button that copies what `makeText` returns, and says so. */
export function copyButton(name, makeText, kind = "quiet") {
  const copy = button(
    name,
    async () => {
      const isCopied = await copyText(makeText());
      copy.textContent = isCopied ? "Copied" : "Not allowed here";
      announce(copy.textContent);
      setTimeout(() => (copy.textContent = name), COPIED_PAUSE);
    },
    kind,
  );
  return copy;
}

/** Copy text; over http, browsers offer the older way only. Return whether it was copied. */
async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const box = element("textarea", { class: "hidden", "aria-hidden": "true" });
    box.value = text;
    const focused = document.activeElement;
    document.body.append(box);
    box.select();
    const isCopied = document.execCommand("copy");
    box.remove();
    focused?.focus();
    return isCopied;
  }
}

/** Save text as a file of the person who looks at the page. */
export function saveFile(name, mediaType, text) {
  const url = URL.createObjectURL(new Blob([text], { type: mediaType }));
  element("a", { href: url, download: name }).click();
  URL.revokeObjectURL(url);
}

/** Tell people who listen to the page something that others see. */
export function announce(text) {
  document.getElementById("status").textContent = text;
}

/** Return the start of a long name. */
export function shorten(text, length = LABEL_LENGTH) {
  const characters = [...text.slice(0, 2 * length + 2)];
  return characters.length > length ? `${characters.slice(0, length).join("").trimEnd()}…` : text;
}

/**
 * Return a paragraph that shows the start of a long text, with a button for the rest.
 * @param {string} text
 * @param {(text: string) => (Node | string)[]} render
 */
export function paragraph(text, attributes = {}, render = part => [part]) {
  const node = element("p", { dir: "auto", ...attributes }, ...render(shorten(text, PARAGRAPH_LENGTH)));
  if (shorten(text, PARAGRAPH_LENGTH) === text) return node;
  const more = button("Show the whole text", () => {
    const whole = element("p", { dir: "auto", tabindex: "-1", ...attributes }, text);
    node.replaceWith(whole);
    whole.focus();
  });
  node.append(" ", more);
  more.className = "quiet";
  return node;
}

/**
 * Fill a list with its first items; return a button that shows all, or nothing if these are all.
 * @template T
 * @param {Element} parent
 * @param {T[]} items
 * @param {(item: T) => Node} render
 */
export function fillStart(parent, items, render, count) {
  parent.replaceChildren(...items.slice(0, count).map(render));
  if (items.length <= count) return [];
  const more = button(
    `Show all ${items.length.toLocaleString("en")}`,
    () => {
      parent.replaceChildren(...items.map(render));
      more.remove();
      parent.children[count].tabIndex = -1;
      parent.children[count].focus();
    },
    "quiet",
  );
  return [more];
}

/**
 * Ask in a dialog; return what was typed (or "" where nothing is), or null if the person does not go on.
 * @param {{title: string, text: string, action: string, field?: string, value?: string, type?: string}} request
 * @returns {Promise<string | null>}
 */
export function openDialog({ title, text, action, field = "", value = "", type = "text" }) {
  const input = element("input", { id: "dialog-field", type, autocomplete: "off", maxlength: "500" });
  input.value = value;
  const dialog = element(
    "dialog",
    { "aria-labelledby": "dialog-title" },
    element("h2", { id: "dialog-title" }, title),
    element("p", {}, text),
    element(
      "form",
      { method: "dialog" },
      ...(field ? [element("label", { for: "dialog-field" }, field), input] : []),
      element(
        "p",
        { class: "buttons" },
        element("button", { class: "main", value: "ok" }, action),
        button("Cancel", () => dialog.close()),
      ),
    ),
  );
  document.body.append(dialog);
  dialog.showModal();
  return new Promise(resolve =>
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(dialog.returnValue === "ok" ? input.value : null);
    }),
  );
}
