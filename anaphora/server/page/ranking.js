// The intents that matched, the winner first with its slots and where they came from, and folded
// away those that did not.

import { h } from "./dom.js";
import { counted, pieces, said, sentence } from "./words.js";

export function rankingOf(reply, palette, { source }) {
  const { explanation } = reply;
  const ranked = withoutTwins(explanation.matches);
  return [
    ranked.length > 0 && h("ol", { class: "ranked" },
      ranked.map((match, index) => matched(match, ranked[index + 1], { index, palette, source }))),
    ranked.length === 0 && nobody(reply, palette),
    nearMisses(explanation, reply, ranked.length === 0 && reply.status === "rejected"),
  ].filter(Boolean);
}

function matched(match, next, { index, palette, source }) {
  const winner = index === 0 && !match.skipped;
  return h("li", { class: winner ? "match winner" : "match", data: { intent: match.intent } },
    h("h3", {}, match.intent, " ",
      match.skipped && h("span", { class: "mark" }, "skipped by its handler"),
      match.twins > 0 && h("span", { class: "mark" }, `${counted(match.twins, "other reading")}`)),
    slots(match.taken, palette, source),
    match.why && next && h("p", { class: "because" },
      "Before ", h("code", {}, next.intent), `, for ${match.why}.`),
  );
}

function slots(taken, palette, source) {
  if (taken.length === 0) return h("p", { class: "because" }, "It takes no entity.");
  return h("dl", { class: "slots" }, taken.map((entity) =>
    h("div", { vars: palette.vars(entity.groups), data: { source: entity.source } },
      h("dt", {}, entity.term),
      h("dd", {}, h("span", { class: "value", dir: "auto" }, said(entity).main),
        h("span", { class: "from" },
          entity.source === "memory" ? source(entity) : "from this sentence")))));
}

/** An incomplete reply shows what it has and lacks; a rejected one says why. */
function nobody(reply, palette) {
  if (reply.status === "incomplete") {
    const known = [...reply.explanation.reading, ...reply.explanation.offered];
    const groups = (slot) =>
      known.find((entity) => entity.element === one(slot.element))?.groups ?? [one(slot.element)];
    const filled = Object.entries(reply.slots).map(([term, slot]) =>
      h("div", { vars: palette.vars(groups(slot)), data: { source: one(slot.source) } },
        h("dt", {}, term),
        h("dd", {}, h("span", { class: "value", dir: "auto" }, [slot.text ?? slot.value].flat().join(", ")),
          h("span", { class: "from" },
            one(slot.source) === "memory" ? "from an earlier question" : "from this sentence"))));
    const lacking = reply.missing.map((term) =>
      h("div", { class: "lacking" }, h("dt", {}, term), h("dd", {}, "missing")));
    return h("div", { class: "match winner", data: { intent: reply.intent } },
      h("h3", {}, reply.intent, " ", h("span", { class: "mark" },
        lacking.length > 0 ? "incomplete" : "offered")),
      h("dl", { class: "slots" }, filled, lacking));
  }
  const text = reply.status === "reset" ? "A reset phrase: no intent was looked for."
    : reply.status === "rejected" ? `No intent matched: ${reply.reason || "none fits"}.`
    : "No intent was needed for this answer.";
  return h("p", { class: "empty" }, text);
}

function nearMisses(explanation, reply, open) {
  const misses = explanation.misses.filter(
    (miss) => reply.status !== "incomplete" || miss.intent !== reply.intent,
  );
  const { untouched } = explanation;
  if (misses.length + untouched === 0) return null;
  return h("details", { class: "misses", open },
    h("summary", {}, sentence(`${counted(misses.length + untouched, "intent")} did not match`)),
    h("ul", {}, misses.map((miss) => h("li", {},
      h("code", { class: "name" }, miss.intent),
      h("span", {}, pieces(miss.reason).map(({ text, code }) =>
        code ? h("code", {}, text) : text))))),
    untouched > 0 && h("p", { class: "because" }, `And ${untouched} that are further off.`),
  );
}

/** Matches that differ only in which of two equal readings they took are shown once. */
function withoutTwins(matches) {
  const shown = [];
  for (const match of matches) {
    const name = JSON.stringify([match.intent,
      match.taken.map(({ term, element, value, start, end }) => [term, element, value, start, end])]);
    const twin = shown.find((one) => one.name === name);
    if (twin) Object.assign(twin, { twins: twin.twins + 1, why: match.why });
    else shown.push({ ...match, name, twins: 0 });
  }
  return shown;
}

function one(value) {
  return Array.isArray(value) ? value[0] : value;
}
