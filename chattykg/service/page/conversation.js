/** One conversation: its log, and the questions that are asked in it. It goes on while another one is shown. */

import { answerParts, failureParts } from "./answer.js";
import { announce, button, element, shorten } from "./elements.js";
import { ServiceError, UNREACHABLE, call, streamAnswer } from "./service.js";
import { findConversation, keepConversation, keepPending, removeConversation } from "./storage.js";
import { welcome } from "./welcome.js";

/** Statuses of a conversation that is deleted, or full. */
const OVER = [404, 409];
const OVER_TEXT = "This conversation is over: it was deleted after some time, or it is full.";
let articleCount = 0;

/**
 * @typedef {{onChange: (conversation: Conversation) => void, onReturn: (question: string) => void,
 *   onFocusLost: () => void, startNew: (dataset: string, question?: string) => void}} Hooks
 *   `onChange`: the title, the address or the state changed; `onReturn`: a question was not answered and goes back to
 *   the input; `onFocusLost`: the button that asked is gone.
 */

/** A conversation about a data set, whose id the service gives with its first answer. */
export class Conversation {
  /**
   * @param {{dataset?: string, id?: string}} start
   * @param {Hooks} hooks
   */
  constructor({ dataset = "", id = "" }, hooks) {
    Object.assign(this, { dataset, id, hooks, turns: [], questions: [], abort: null, scroll: null, isShared: false });
    /** Identifies the conversation in the history of the browser before it has an id. */
    this.key = `${Date.now()}-${Math.random()}`;
    this.log = element("div", {
      class: "log",
      role: "log",
      "aria-live": "polite",
      "aria-relevant": "additions",
      "aria-label": "Conversation",
    });
  }

  get isAsking() {
    return this.abort !== null;
  }

  get title() {
    return findConversation(this.id)?.title || this.turns[0]?.question || "";
  }

  /** Show the welcome of a new conversation, or load the turns of an old one. */
  async load() {
    if (!this.id) {
      this.log.append(welcome(this.dataset, question => this.ask(question)));
      return;
    }
    this.isShared = !findConversation(this.id);
    try {
      const { dataset, turns } = await call(`chat/${this.id}`);
      Object.assign(this, { dataset, turns });
      this.questions = turns.map(turn => turn.question);
      this.showLoaded();
      this.keep({});
    } catch (error) {
      this.showLoadFailure(error);
    }
    this.hooks.onChange(this);
  }

  showLoaded() {
    this.log.setAttribute("aria-live", "off");
    this.log.replaceChildren();
    for (const turn of this.turns) this.showAnswer(this.addArticle(turn.question), turn, []);
    requestAnimationFrame(() => this.log.setAttribute("aria-live", "polite"));
  }

  showLoadFailure(error) {
    if (!(error instanceof ServiceError)) throw error;
    const isGone = error.status === 404;
    const parts = isGone
      ? failureParts(
          "This conversation is not here: the service has deleted it, or the link is wrong.",
          "New conversation",
          () => this.hooks.startNew(this.dataset),
        )
      : failureParts(error.message, "Try again", () => this.load());
    if (isGone && findConversation(this.id)) {
      const remove = button("Remove from the list", () => {
        removeConversation(this.id);
        this.hooks.startNew(this.dataset);
      });
      parts.at(-1).append(" ", remove);
    }
    this.log.replaceChildren(...parts);
  }

  /** Ask a question; its article stands in the log at once, and the steps stream into it. */
  async ask(question) {
    if (this.isAsking) return;
    this.abort = new AbortController();
    this.questions.push(question);
    keepPending({ question, session: this.id, hash: location.hash });
    this.log.querySelector(".welcome")?.remove();
    const article = this.addArticle(question);
    const steps = [];
    const list = element("ol", { class: "steps" }, element("li", {}, "Looking it up"));
    article.append(list);
    article.scrollIntoView({ block: "nearest" });
    this.hooks.onChange(this);
    if (document.activeElement === document.body) this.hooks.onFocusLost();
    try {
      await this.follow(question, article, list, steps);
      keepPending(null);
    } catch (error) {
      this.showFailure(article, question, error);
    } finally {
      this.abort = null;
      this.hooks.onChange(this);
    }
  }

  /** Show the events of an answer as they come. */
  async follow(question, article, list, steps) {
    const body = { question, dataset: this.dataset, session: this.id };
    for await (const { name, data } of streamAnswer(body, this.abort.signal)) {
      if (name === "session" && !this.id) keepPending({ question, session: data.session, hash: location.hash });
      if (name === "step") {
        steps.push(data);
        list.append(element("li", {}, shorten(data.text)));
        article.scrollIntoView({ block: "nearest" });
      }
      if (name === "error") throw new ServiceError(data.status, data.detail);
      if (name === "answer") {
        this.takeAnswer(article, data, steps);
        return;
      }
    }
    throw new ServiceError(UNREACHABLE, "The connection was lost before the answer came.");
  }

  takeAnswer(article, turn, steps) {
    this.id = turn.session;
    this.turns.push(turn);
    this.keep({ time: Date.now() });
    this.showAnswer(article, turn, steps);
    article.scrollIntoView({ block: article.offsetHeight > innerHeight / 2 ? "start" : "nearest" });
  }

  /** Keep the conversation in the list of this browser. */
  keep(changes) {
    const { id, title, dataset } = this;
    keepConversation(id, { title, dataset, ...changes });
  }

  addArticle(question) {
    const id = `question-${++articleCount}`;
    const article = element(
      "article",
      { "aria-labelledby": id },
      element("h2", { id, dir: "auto" }, shorten(question, 500)),
    );
    this.log.append(article);
    return article;
  }

  showAnswer(article, turn, steps) {
    const context = { dataset: this.dataset || turn.dataset, ask: question => this.ask(question), steps };
    article.replaceChildren(article.firstChild, ...answerParts(turn, context));
  }

  showFailure(article, question, error) {
    const heading = article.firstChild;
    const askAgain = () => {
      article.remove();
      this.ask(question);
    };
    if (error.name === "AbortError") {
      keepPending(null);
      article.replaceChildren(heading, element("p", { class: "lead" }, "Stopped."));
      this.hooks.onReturn(question);
    } else if (!(error instanceof ServiceError)) {
      article.replaceChildren(heading, ...failureParts("The page cannot show this answer.", "Try again", askAgain));
      throw error;
    } else if (this.id && OVER.includes(error.status)) {
      const parts = failureParts(OVER_TEXT, "Ask in a new conversation", () =>
        this.hooks.startNew(this.dataset, question),
      );
      article.replaceChildren(heading, ...parts);
    } else {
      article.replaceChildren(heading, ...failureParts(error.message, "Try again", askAgain));
    }
  }

  /** Stop the answer; the service ends its work when the request ends. */
  stop() {
    this.abort?.abort();
    announce("Stopped");
  }

  /** Say that a question was lost when the page was left. */
  showLost(question) {
    this.log.querySelector(".welcome")?.remove();
    this.addArticle(question).append(element("p", { class: "lead" }, "The page was left before the answer came."));
    this.questions.push(question);
    this.hooks.onReturn(question);
  }
}
