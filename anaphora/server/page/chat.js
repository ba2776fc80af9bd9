// The chat: numbered questions, and under each what became of it.

import { h, icon } from "./dom.js";
import { arrange } from "./focus.js";
import { underlined } from "./tagged.js";
import { counted, said, sentence } from "./words.js";

export class ChatView {
  #drawn = new WeakMap(); // the element of each turn, and what it shows

  constructor({ list, scroll, onSelect, onAgain }) {
    Object.assign(this, { list, scroll, onSelect, onAgain });
  }

  show(thread, palette) {
    const items = thread.turns.map((turn, index) => this.#item(turn, index + 1, thread, palette));
    if (thread.elsewhere > 0 && thread.turns.length > 0) {
      items.push(h("li", { class: "elsewhere" },
        `${counted(thread.elsewhere, "question")} came by another channel`));
    }
    arrange(this.list, items);
  }

  clear() {
    this.list.replaceChildren();
  }

  /** The button of a turn. */
  button(turn) {
    return this.list.querySelector(`[data-turn="${turn.id}"] .asked`);
  }

  /** Scroll to the last turn; what is there before the first one is read from its top. */
  end() {
    this.scroll.scrollTop = this.list.childElementCount > 0 ? this.scroll.scrollHeight : 0;
  }

  reveal(turn) {
    this.list.querySelector(`[data-turn="${turn.id}"]`)?.scrollIntoView({ block: "nearest" });
  }

  /** The seconds that a refused question still has to wait. */
  tick() {
    for (const button of this.list.querySelectorAll("button[data-until]")) {
      const left = Math.ceil((Number(button.dataset.until) - Date.now()) / 1000);
      button.disabled = left > 0;
      button.lastChild.textContent = left > 0 ? `Ask again in ${left} s` : "Ask again";
      if (left <= 0) delete button.dataset.until;
    }
  }

  /** A turn that looks as before is not drawn anew: what is marked in it stays marked. */
  #item(turn, number, thread, palette) {
    const name = JSON.stringify([number, turn.state, thread.shown === turn, thread.selected === turn]);
    const known = this.#drawn.get(turn);
    if (known?.name === name && known.palette === palette) return known.element;
    const element = this.#turn(turn, number, thread, palette);
    this.#drawn.set(turn, { name, palette, element });
    return element;
  }

  #turn(turn, number, thread, palette) {
    const shown = thread.shown === turn;
    const explanation = turn.reply?.explanation;
    return h("li", {
      class: `turn ${turn.state}${thread.selected === turn ? " selected" : ""}`,
      data: { turn: String(turn.id), status: turn.reply?.status ?? turn.state },
    },
    h("button", {
      type: "button",
      class: "asked",
      "aria-current": shown ? "true" : null,
      "aria-disabled": turn.state === "done" ? null : "true",
      title: turn.state === "done" ? "See how it was answered" : null,
      on: { click: () => turn.state === "done" && this.onSelect(turn) },
    },
    h("span", { class: "number" }, h("span", { class: "unseen" }, "Question "), String(number)),
    h("span", { class: "text", dir: "auto" }, explanation ? underlined(explanation, palette) : turn.text)),
    this.#answer(turn),
    );
  }

  #answer(turn) {
    if (turn.state === "sending") {
      return h("div", { class: "answer" }, h("span", { class: "waiting", role: "img", "aria-label": "Waiting" },
        h("i"), h("i"), h("i")));
    }
    return turn.state === "failed" ? this.#failure(turn) : answer(turn.reply);
  }

  #failure(turn) {
    const { problem } = turn;
    const until = turn.failedAt + problem.wait * 1000;
    const wait = Math.ceil((until - Date.now()) / 1000);
    return h("div", { class: "answer problem" },
      h("p", { class: "say" }, problem.title),
      problem.detail && h("p", { class: "meta" }, problem.detail),
      problem.errors.length > 0 && h("ul", { class: "meta" },
        problem.errors.map(({ where, message }) => h("li", {}, `${where}: ${message}`))),
      h("button", {
        type: "button",
        class: "quiet again",
        disabled: wait > 0,
        data: wait > 0 ? { until: String(until) } : {},
        on: { click: () => this.onAgain(turn) },
      }, icon("again"), h("span", {}, wait > 0 ? `Ask again in ${wait} s` : "Ask again")),
    );
  }
}

/** What a reader of the screen should hear of a reply. */
export function spoken(reply) {
  return lines(reply).filter(Boolean).join(" ");
}

function answer(reply) {
  const [text, reason] = lines(reply);
  return h("div", { class: `answer ${reply.status}` },
    h("p", { class: "say", dir: "auto" }, text),
    reason && h("p", { class: "meta" }, reason),
    reply.status === "matched" && meta(reply),
    reply.status === "incomplete" && h("p", { class: "meta" }, reply.missing.length > 0
      ? ["missing ", reply.missing.map((name) => [h("code", { class: "need" }, name), " "])]
      : waitsFor(reply)),
  );
}

/** What a question of the bot waits for, if nothing is missing. */
function waitsFor(reply) {
  if (reply.confirms) return "a yes carries it out";
  if (reply.offers) return "it waits for one of the offers";
  if (reply.quick_replies) return "it waits for a yes or a no";
  return reply.reason ? "a yes goes on without it" : "an offer: a yes takes it up";
}

function lines(reply) {
  switch (reply.status) {
    case "incomplete":
      return [reply.prompt || reply.text, ""];
    case "rejected": {
      if (reply.answered_by) return [reply.text, `Answered by ${reply.answered_by}.`];
      const reason = sentence(reply.reason || reply.text || "none of its intents fits");
      const own = reply.text && reply.text !== reply.reason;
      return own ? [reply.text, `${reason}.`] : ["That was not understood.", `${reason}.`];
    }
    case "reset":
      return [reply.text || "Forgotten.", reply.text ? "" : "The next question starts from scratch."];
    default:
      return [reply.text || "Done.", ""];
  }
}

function meta(reply) {
  const kept = (reply.explanation?.matches.find((match) => !match.skipped)?.taken ?? [])
    .filter((entity) => entity.source === "memory").map((entity) => said(entity).main);
  return h("p", { class: "meta" }, h("code", {}, reply.intent),
    kept.length > 0 && ` with ${kept.map((name) => `“${name}”`).join(", ")} from memory`);
}
