// The views beside the chat: they show the last answer as it unfolds, or an earlier one as it was.

import { Palette } from "./colors.js";
import { $, h, icon } from "./dom.js";
import { flowOf } from "./flow.js";
import { goneOf, keyOf } from "./gone.js";
import { MemoryView } from "./memory.js";
import { appear, comeFrom, placeOf } from "./motion.js";
import { rankingOf } from "./ranking.js";
import { sentenceOf } from "./tagged.js";
import { counted, moment } from "./words.js";

const EMPTY = "Nothing to show yet.";

export class Panels {
  #palette = new Palette();
  #told = {}; // the turn that a panel shows, with its thread and its palette: drawn once

  constructor({ onForget, onOver, onBack, onSay }) {
    this.onBack = onBack;
    this.memory = new MemoryView({ root: $("#memory .content"), onForget, onOver, onSay });
  }

  /** Show what the thread's selected turn says, else its last. What has just happened moves:
   *  `turn` was answered now, `gone` left the memory now. */
  show(thread, palette, { turn = null, gone = [] } = {}) {
    this.#palette = palette;
    const { shown, selected } = thread;
    const explanation = shown?.reply.explanation ?? null;
    const before = turn || gone.length > 0 ? this.#places() : null;
    this.#then(thread);
    this.#sentence(thread, shown);
    this.#memory(thread, selected, explanation);
    this.#ranking(thread, shown);
    const flow = (selected?.after ?? thread.conversation)?.flow ?? [];
    this.#flow(flow, { follow: turn !== null });
    if (before) this.#move(before, turn);
  }

  /** Show that there is no conversation. */
  clear() {
    this.#told = {};
    $("#then").hidden = true;
    $("#why").classList.remove("past");
    $("#gone").hidden = true;
    this.memory.blank(EMPTY);
    for (const name of ["sentence", "ranking", "flow"]) {
      $(`#${name} .content`).replaceChildren(h("p", { class: "empty" }, EMPTY));
    }
  }

  tick() {
    this.memory.tick();
  }

  #then(thread) {
    const { selected } = thread;
    const bar = $("#then");
    bar.hidden = selected === null;
    $("#why").classList.toggle("past", selected !== null);
    if (!selected) return;
    const number = thread.turns.indexOf(selected) + 1;
    const at = selected.after ? `, answered at ${moment(selected.after.now)}` : "";
    bar.replaceChildren(
      h("p", {}, h("b", {}, `Question ${number}`), ` of ${thread.turns.length}, as it was${at}`),
      h("button", { type: "button", class: "quiet", on: { click: this.onBack } },
        icon("back"), "Back to now ", h("kbd", {}, "Esc")),
    );
  }

  /** Whether a panel shows something else than it did. */
  #differs(panel, thread, shown) {
    const now = [thread, shown, this.#palette];
    const same = this.#told[panel]?.every((one, index) => one === now[index]) ?? false;
    this.#told[panel] = now;
    return !same;
  }

  /** The steps, with the last one in sight unless the user has scrolled away from it. */
  #flow(flow, { follow }) {
    const before = $("#flow .rail");
    const left = before?.scrollLeft ?? 0;
    const atEnd = !before || left + before.clientWidth >= before.scrollWidth - 4;
    $("#flow .content").replaceChildren(...flowOf(flow));
    const rail = $("#flow .rail");
    if (rail) rail.scrollLeft = follow || atEnd ? rail.scrollWidth : left;
  }

  #sentence(thread, shown) {
    if (!this.#differs("sentence", thread, shown)) return;
    const content = $("#sentence .content");
    if (!shown) {
      content.replaceChildren(h("p", { class: "empty" },
        "Ask something. Its words appear here with what each was taken for."));
      return;
    }
    const source = sourceIn(thread, shown);
    content.replaceChildren(
      ...sentenceOf(shown.reply.explanation, this.#palette, { source }).filter(Boolean));
  }

  #memory(thread, selected, explanation) {
    const conversation = selected ? selected.after : thread.conversation;
    const root = $("#gone");
    if (!conversation) {
      this.memory.blank(whyUnreadable(thread));
    } else {
      const prompt = (selected ?? thread.turns.findLast((turn) => turn.reply))?.reply.prompt ?? "";
      this.memory.show(conversation, this.#palette, { then: selected !== null, prompt });
    }
    const gone = goneOf(explanation, selected ? [] : thread.left, this.#palette,
      conversation ?? {});
    root.hidden = gone === null;
    root.replaceChildren(...(gone ?? []));
  }

  #ranking(thread, shown) {
    if (!this.#differs("ranking", thread, shown)) return;
    $("#ranking .content").replaceChildren(...(shown
      ? rankingOf(shown.reply, this.#palette, { source: sourceIn(thread, shown) })
      : [h("p", { class: "empty" },
        "The intents that could answer stand here, the best one first, each with its reason.")]));
  }

  /** Where the cards are now, by what they hold, with those that are known already. */
  #places() {
    const cards = [...document.querySelectorAll("#memory .card")];
    return {
      names: new Set(cards.map((card) => card.dataset.card)),
      cards: new Map(cards.map((card) => [withoutTime(card.dataset.card), placeOf(card)])),
    };
  }

  /** A card that left goes to the line that says why; a new one comes from its words. */
  #move(before, turn) {
    for (const line of document.querySelectorAll("#gone .out > li")) {
      comeFrom(line, before.cards.get(line.dataset.key));
    }
    for (const card of document.querySelectorAll("#memory .card")) {
      if (before.names.has(card.dataset.card)) continue;
      const word = $(`#sentence .entity[data-element="${CSS.escape(card.dataset.element)}"]`);
      comeFrom(card, placeOf(word));
    }
    if (turn) {
      for (const part of document.querySelectorAll("#sentence .line, #ranking .winner")) {
        appear(part);
      }
    }
  }
}

/** Tells of a remembered entity in which question it was said. */
function sourceIn(thread, turn) {
  const earlier = thread.turns.slice(0, thread.turns.indexOf(turn)).reverse();
  const { offered } = turn.reply.explanation;
  return (entity) => {
    const key = keyOf(entity);
    const ago = offered.find((one) => keyOf(one) === key)?.ago ?? null;
    const origin = earlier.find((one) =>
      one.reply?.explanation.reading.some((read) => keyOf(read) === key));
    const when = ago === null ? "from memory"
      : ago === 0 ? "from the question that this completes"
      : `from memory, ${counted(ago, "question")} ago`;
    return origin ? `${when}: “${short(origin.text)}”` : when;
  };
}

function whyUnreadable(thread) {
  const { unreadable } = thread;
  if (!unreadable) return "One moment …";
  if (unreadable.status === 403) return "This key may ask, but not look into the memory.";
  return "The memory cannot be read now.";
}

function withoutTime(name) {
  return JSON.stringify(JSON.parse(name).slice(0, 3));
}

function short(text) {
  return text.length > 70 ? `${text.slice(0, 69)}…` : text;
}
