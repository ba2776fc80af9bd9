// The chat with an agent: the messages of the user, and under each what the agent does and says.

import { h, icon } from "../dom.js";
import { arrange } from "../focus.js";
import { stepsOf } from "./steps.js";
import { messagesOf } from "./thread.js";

const ENDS = {
  steps: "It reached the bound on steps.",
  repeated: "It repeated the same call and was stopped.",
  time: "It reached the bound on time.",
  tokens: "It reached the bound on tokens.",
  quota: "The tokens of this day are used up.",
  silent: "The agent had nothing to say.",
  partial: "The agent failed after it had answered.",
};

const EVENTS = {
  login: "The user logged in.",
  heartbeat: "Time has passed.",
  system_alert: "The system alerted the agent.",
  document: "A document was loaded.",
};

export class AgentChat {
  #drawn = new WeakMap(); // the element of each turn, and what it shows

  constructor({ list, scroll, onAgain }) {
    Object.assign(this, { list, scroll, onAgain });
  }

  show(thread) {
    const atEnd = this.#isAtEnd;
    arrange(this.list, thread.turns.map((turn, index) => this.#item(turn, index + 1)));
    if (atEnd) this.end();
  }

  end() {
    this.scroll.scrollTop = this.list.childElementCount > 0 ? this.scroll.scrollHeight : 0;
  }

  /** The seconds that a message still has to wait before it is sent again. */
  tick() {
    for (const button of this.list.querySelectorAll("button[data-retry]")) {
      const left = Math.ceil((Number(button.dataset.retry) - Date.now()) / 1000);
      button.disabled = left > 0;
      button.lastChild.textContent = left > 0 ? `Try again in ${left} s` : "Try again";
      if (left <= 0) delete button.dataset.retry;
    }
  }

  get #isAtEnd() {
    const { scrollTop, clientHeight, scrollHeight } = this.scroll;
    return scrollTop + clientHeight >= scrollHeight - 40;
  }

  /** A turn that looks as before is not drawn anew: what is open or marked in it stays so. */
  #item(turn, number) {
    const parts = [number, turn.text, turn.state, turn.steps, turn.writing, messagesOf(turn), turn.problem, turn.answer?.ended];
    const name = JSON.stringify(parts);
    const known = this.#drawn.get(turn);
    if (known?.name === name) return known.element;
    const element = this.#turn(turn, number);
    keepOpen(known?.element, element);
    this.#drawn.set(turn, { name, element });
    return element;
  }

  #turn(turn, number) {
    const messages = messagesOf(turn);
    const ended = turn.answer?.ended ?? "";
    return h("li", { class: `turn agent-turn ${turn.state}`, data: { turn: turn.id, status: turn.state } },
      h("div", { class: "asked" },
        h("span", { class: "number" }, h("span", { class: "unseen" }, "Message "), String(number)),
        turn.text === null
          ? h("span", { class: "text forgotten" }, EVENTS[turn.kind])
          : h("span", { class: "text", dir: "auto" }, turn.text)),
      h("div", { class: "answer" },
        stepsOf(turn.steps, { inChat: true }),
        turn.writing && h("p", { class: "thought writing", dir: "auto" }, turn.writing),
        messages.map((text) => h("p", { class: "bubble", dir: "auto" }, text)),
        turn.state === "sending" && waiting(),
        turn.state === "failed" && this.#failure(turn),
        turn.state === "elsewhere" && this.#unfinished(turn),
        turn.state === "done" && ended in ENDS && h("p", { class: "meta" },
          ENDS[ended], turn.answer.detail && ` ${turn.answer.detail}`)));
  }

  #failure(turn) {
    const { problem } = turn;
    return h("div", { class: "problem" },
      h("p", { class: "say" }, problem.title),
      problem.reason && h("p", { class: "meta" }, problem.reason),
      turn.text !== null && this.#again(turn, turn.failedAt + problem.wait * 1000));
  }

  #unfinished(turn) {
    return h("div", {}, h("p", { class: "meta" }, "This message has not been answered yet."),
      turn.text !== null && this.#again(turn, 0));
  }

  #again(turn, until) {
    const wait = Math.ceil((until - Date.now()) / 1000);
    return h("button", {
      type: "button",
      class: "quiet again",
      disabled: wait > 0,
      data: wait > 0 ? { retry: String(until) } : {},
      on: { click: () => this.onAgain(turn) },
    }, icon("again"), h("span", {}, wait > 0 ? `Try again in ${wait} s` : "Try again"));
  }
}

function waiting() {
  return h("span", { class: "waiting", role: "img", "aria-label": "The agent is working" }, h("i"), h("i"), h("i"));
}

/** Open in `now` the calls that were open in `before`. */
function keepOpen(before, now) {
  const open = before ? [...before.querySelectorAll("details")].map((one) => one.open) : [];
  now.querySelectorAll("details").forEach((one, index) => { one.open = open[index] ?? false; });
}
