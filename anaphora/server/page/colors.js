// A hue for every set of groups. All have the lightness and chroma of style.css: none shouts.

// Far apart first; the gap from 245 to 290 is the accent's.
const HUES = [165, 45, 325, 90, 215, 15, 130, 350, 65, 190, 300, 110];

export class Palette {
  #hues = new Map();

  /** The sets of the model's elements come first, in its order: they look the same each time. */
  constructor(elements = []) {
    for (const element of elements) this.hue(element.groups);
  }

  hue(groups) {
    const name = nameOf(groups);
    if (!this.#hues.has(name)) {
      const taken = this.#hues.size;
      this.#hues.set(name, HUES[taken < HUES.length ? taken : hash(name) % HUES.length]);
    }
    return this.#hues.get(name);
  }

  /** Custom properties for an element that shows an entity of these groups. */
  vars(groups) {
    return { "--hue": String(this.hue(groups)) };
  }
}

/** A set of groups as one text, the same whatever the order. */
export function nameOf(groups) {
  return [...groups].sort().join(" · ");
}

function hash(text) {
  let sum = 2166136261;
  for (const letter of text) sum = Math.imul(sum ^ letter.codePointAt(0), 16777619);
  return sum >>> 0;
}
