// The sentence as it was read: every entity with its gloss beneath, and what was carried over.

import { nameOf } from "./colors.js";
import { h } from "./dom.js";
import { said, sentence } from "./words.js";

const UNKNOWN = Symbol("unknown");
const END = 9; // letters' worth of room after the sentence, whatever follows it

/** The panel's content for an explanation; `source` tells where a remembered entity was said. */
export function sentenceOf(explanation, palette, { source }) {
  const carried = carriedOver(explanation);
  return [
    h("p", { class: "line", dir: "auto", lang: explanation.language || null },
      ...glossed(explanation, palette),
      carried.length > 0 && [" ", h("span", { class: "carried" },
        h("span", { class: "label" }, "and from memory"),
        carried.map((entity) => [chip(entity, palette, {
          className: "entity recalled",
          where: source(entity),
        }), " "]),
      )],
    ),
    notesOf(explanation, palette),
  ];
}

/** The text with its entities underlined and nothing more: for the chat. */
export function underlined(explanation, palette) {
  return cut(explanation).map(({ text, entity, unknown }) => {
    if (entity) return h("span", { class: "under", vars: palette.vars(entity.groups) }, text);
    return unknown ? h("span", { class: "under unknown" }, text) : text;
  });
}

function glossed(explanation, palette) {
  const named = new Set();
  const parts = cut(explanation);
  return parts.map(({ text, entity, unknown }, index) => {
    const after = parts[index + 1];
    const plain = after && (after.entity || after.unknown) ? 0 : (after?.text.length ?? 0);
    const room = plain + (parts.length - index <= 2 && !after?.entity && !after?.unknown ? END : 0);
    if (unknown) {
      return h("span", { class: `entity unknown${fits(text, "unknown", room)}` }, h("span", { class: "word" }, text),
        h("span", { class: "gloss" }, "unknown"));
    }
    if (!entity) return text;
    const first = !named.has(entity);
    named.add(entity);
    const gloss = first ? entity.element : "…";
    const idle = explanation.unused.some((one) => same(one, entity));
    const where = entity.misspelt ? "in the sentence, misspelt" : "in the sentence";
    return chip(entity, palette, {
      word: text,
      gloss,
      className: (idle ? "entity idle" : "entity") + fits(text, gloss, room),
      where: idle ? `${where}; the answer took nothing from it` : where,
    });
  });
}

function chip(entity, palette, { word = null, gloss = entity.element, className, where }) {
  return h("button", {
    type: "button",
    class: className,
    vars: palette.vars(entity.groups),
    data: {
      element: entity.element,
      tip: JSON.stringify([
        ["Element", entity.element],
        ["Value", entity.value ?? said(entity).main],
        [entity.groups.length > 1 ? "Groups" : "Group", nameOf(entity.groups)],
        ["Where", where],
      ]),
    },
  }, h("span", { class: "word", dir: "auto" }, word ?? said(entity).main), h("span", { class: "gloss" }, gloss));
}

/** A gloss that is longer than its word may stand under the `room` letters that follow. */
function fits(word, gloss, room) {
  return (word.length + room) * 1.35 >= gloss.length + 1 ? " loose" : "";
}

function carriedOver(explanation) {
  const winner = explanation.matches.find((match) => !match.skipped);
  if (!winner) return explanation.offered.filter((entity) => entity.ago === 0);
  return winner.taken.filter((entity) => entity.source === "memory");
}

function notesOf(explanation, palette) {
  const others = explanation.entities.filter(
    (entity) => !explanation.reading.some((one) => same(one, entity)),
  );
  const twins = explanation.entities.filter((entity, index) =>
    explanation.entities.findIndex((one) => same(one, entity)) < index,
  );
  const lines = explanation.notes.map((note) => h("li", {}, sentence(note)));
  for (const entity of [...others, ...twins]) {
    const twin = twins.includes(entity);
    lines.push(h("li", { class: "otherwise", data: { element: entity.element } },
      `“${entity.text}” could also be ${twin ? "another " : ""}`,
      h("b", { class: "tinted", vars: palette.vars(entity.groups) },
        entity.element, entity.value ? ` ${said(entity).main}` : ""),
    ));
  }
  if (explanation.language && explanation.language !== "en") {
    lines.push(h("li", {}, `read as ${languageName(explanation.language)}`));
  }
  return lines.length > 0 && h("ul", { class: "notes" }, lines);
}

/** The text in pieces: [{text, entity?, unknown?}]. Where entities overlap, the shorter shows. */
function cut({ text, reading, unknown }) {
  const letters = Array.from(text); // positions count characters, not UTF-16 units
  const owner = new Array(letters.length).fill(null);
  const longestFirst = [...reading].sort((a, b) => b.end - b.start - (a.end - a.start));
  for (const entity of longestFirst) owner.fill(entity, entity.start, entity.end);
  let from = 0;
  for (const word of unknown) {
    const long = Array.from(word).length;
    const at = letters.findIndex((_, index) => index >= from && !owner[index]
      && letters.slice(index, index + long).join("") === word);
    if (at < 0) continue;
    owner.fill(UNKNOWN, at, at + long);
    from = at + long;
  }
  letters.forEach((letter, index) => { // unknown words side by side are one
    if (owner[index - 1] !== UNKNOWN || letter.trim()) return;
    const next = letters.findIndex((one, place) => place > index && one.trim());
    if (owner[next] === UNKNOWN) owner[index] = UNKNOWN;
  });
  const found = [];
  letters.forEach((letter, index) => {
    const last = found.at(-1);
    if (last && last.owner === owner[index]) last.text += letter;
    else found.push({ text: letter, owner: owner[index] });
  });
  return found.map(({ text: piece, owner: one }) => ({
    text: piece,
    entity: one === UNKNOWN ? null : one,
    unknown: one === UNKNOWN,
  }));
}

function same(one, other) {
  return one.start === other.start && one.end === other.end
    && one.element === other.element && one.value === other.value;
}

function languageName(code) {
  try {
    return new Intl.DisplayNames(["en"], { type: "language" }).of(code);
  } catch {
    return code;
  }
}
