// The input: Enter sends or says why not, the arrows bring earlier questions back.

import { h } from "./dom.js";
import { isModified } from "./keys.js";

export class Composer {
  #earlier = [];
  #place = 0; // in #earlier; its length is what is being written
  #written = "";
  #empty = false; // what is refused is an empty question

  constructor({ form, input, alert, onAsk }) {
    Object.assign(this, { form, input, alert });
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const text = input.value.trim();
      if (!text) this.refuse("Type a question first.");
      else if (onAsk(text)) this.text = "";
    });
    input.addEventListener("input", () => this.#empty && this.accept());
    input.addEventListener("keydown", (event) => this.#arrow(event));
  }

  get text() {
    return this.input.value;
  }

  set text(text) {
    this.input.value = text;
    this.#place = this.#earlier.length;
  }

  /** The questions that the arrows go through, oldest first. */
  recall(texts) {
    this.#earlier = texts.filter((text, index) => text !== texts[index - 1]);
    this.#place = this.#earlier.length;
  }

  focus() {
    this.input.focus();
  }

  /** Say why nothing was sent: anew each time, so that it is seen and heard each time. */
  refuse(reason) {
    this.#empty = !this.input.value.trim();
    this.alert.replaceChildren(h("span", {}, reason));
  }

  /** What kept a question from being sent has gone. */
  accept() {
    this.#empty = false;
    this.alert.replaceChildren();
  }

  #arrow(event) {
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (!step || isModified(event) || event.isComposing) return;
    const place = this.#place + step;
    if (place < 0 || place > this.#earlier.length) return;
    event.preventDefault();
    if (this.#place === this.#earlier.length) this.#written = this.input.value;
    this.#place = place;
    this.input.value = this.#earlier[place] ?? this.#written;
    this.input.setSelectionRange(this.input.value.length, this.input.value.length);
  }
}
