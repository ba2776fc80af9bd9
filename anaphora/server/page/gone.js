// What left the memory with the last question and why, and what was held back from it.

import { h } from "./dom.js";
import { said, whyGone } from "./words.js";

/** The list for what an explanation tells and for what `left` since; null if nothing did. */
export function goneOf(explanation, left, palette, settings) {
  const reading = explanation?.reading ?? [];
  const out = [
    ...left.map((gone) => ({ gone, why: whyGone(gone, settings) })),
    ...(explanation?.forgotten ?? []).map((gone) => ({
      gone,
      why: whyGone(gone, { ...settings, reading }),
    })),
  ];
  const held = heldBack(explanation).map((entity) => ({
    gone: entity,
    why: `${standIn(entity, reading)} stands in for it`,
  }));
  if (out.length + held.length === 0) return null;
  return [
    out.length > 0 && h("section", {}, h("h3", {}, "Left the memory"), list(out, palette, "out")),
    held.length > 0 && h("section", {}, h("h3", {}, "Held back"), list(held, palette, "held")),
  ].filter(Boolean);
}

function list(lines, palette, kind) {
  return h("ul", { class: kind }, lines.map(({ gone, why }) =>
    h("li", { vars: palette.vars(gone.groups), data: { key: keyOf(gone), rule: gone.rule ?? "" } },
      h("span", { class: "what", dir: "auto" }, said(gone).main), " ",
      h("span", { class: "reason" }, why))));
}

/** An entity by what the explanation and the conversation both say of it. */
export function keyOf(entity) {
  return JSON.stringify([entity.element, entity.value ?? entity.text, entity.text]);
}

/** Hidden from the question, and yet neither pushed out by it nor part of what it goes on with. */
function heldBack(explanation) {
  if (!explanation) return [];
  const gone = new Set(explanation.forgotten.map(keyOf));
  const taken = explanation.matches.find((match) => !match.skipped)?.taken ?? [];
  return explanation.hidden.filter((entity) => !gone.has(keyOf(entity))
    && !taken.some((one) => one.element === entity.element && one.value === entity.value
      && one.source === "memory"));
}

function standIn(entity, reading) {
  const by = entity.by.join();
  const winner = reading.find((one) => [...one.groups].sort().join() === by);
  return winner ? said(winner).main : `another of ${entity.by.join(", ")}`;
}
