// The input: Enter sends, the arrows bring earlier questions back.

export class Composer {
  #earlier = [];
  #place = 0; // in #earlier; its length is what is being written
  #written = "";

  constructor({ form, input, onAsk }) {
    Object.assign(this, { form, input });
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const text = input.value.trim();
      if (text && onAsk(text)) this.text = "";
    });
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

  #arrow(event) {
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (!step || event.altKey || event.ctrlKey || event.metaKey || event.isComposing) return;
    const place = this.#place + step;
    if (place < 0 || place > this.#earlier.length) return;
    event.preventDefault();
    if (this.#place === this.#earlier.length) this.#written = this.input.value;
    this.#place = place;
    this.input.value = this.#earlier[place] ?? this.#written;
    this.input.setSelectionRange(this.input.value.length, this.input.value.length);
  }
}
