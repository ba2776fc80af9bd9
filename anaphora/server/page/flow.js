// The dialog flow as a line of steps: which intents have answered, the last one on the right.

import { h } from "./dom.js";
import { moment } from "./words.js";

const MOST = 30;

export function flowOf(flow) {
  if (flow.length === 0) {
    return [h("p", { class: "empty" }, "The intents that answer line up here.")];
  }
  const shown = flow.slice(-MOST);
  const before = flow.length - shown.length;
  return [
    h("div", { class: "rail", tabindex: 0, role: "group", "aria-label": "Dialog flow" },
      h("ol", { class: "steps" },
        before > 0 && h("li", { class: "earlier" }, `${before} earlier`),
        shown.map((step, index) => h("li", {
          class: index === shown.length - 1 ? "step last" : "step",
          "aria-current": index === shown.length - 1 ? "step" : null,
        }, h("span", { class: "intent" }, step.intent),
        h("time", { datetime: step.at }, moment(step.at))))),
    ),
  ];
}
