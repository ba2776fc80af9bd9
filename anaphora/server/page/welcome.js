// Before the first question: what the model is, and how its sample dialogs begin.

import { h } from "./dom.js";
import { counted } from "./words.js";

const MOST = 6;

export function welcomeOf(model, conversation, onSample) {
  const asked = conversation?.questions ?? 0;
  const samples = firstQuestions(model.samples ?? []);
  return [
    h("h2", {}, model.name || model.id),
    model.description && h("p", { class: "about" }, model.description),
    asked > 0 && h("p", { class: "about" },
      `This conversation goes on: ${counted(asked, "question")} came before, and what is `
      + "remembered of them is in the memory."),
    samples.length > 0 && h("h3", {}, "Begin with"),
    samples.length > 0 && h("ul", { class: "samples" }, samples.map((texts) => h("li", {},
      h("button", { type: "button", on: { click: () => onSample(texts) } },
        h("span", { class: "text", dir: "auto" }, texts[0]),
        texts.length > 1 && h("span", { class: "more" }, counted(texts.length, "question")),
      )))),
  ].filter(Boolean);
}

/** The longest dialog of those that begin alike, without ones that begin with nothing. */
function firstQuestions(samples) {
  const longest = new Map();
  for (const texts of samples) {
    if (!texts[0]?.trim()) continue;
    const known = longest.get(texts[0]);
    if (!known || known.length < texts.length) longest.set(texts[0], texts);
  }
  const dialogs = [...longest.values()].filter((texts) => texts.length > 1);
  return (dialogs.length > 0 ? dialogs : [...longest.values()]).slice(0, MOST);
}
