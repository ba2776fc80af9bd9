// The main context of an agent as a bar that fills, and what fills it.

import { h } from "../dom.js";

const PRESSURE = 0.7; // of what the prompt may take: the agent is warned there

const PARTS = [
  ["system", "system", "instructions and core memory"],
  ["functions", "functions", "what it may call"],
  ["summary", "summary", "of the messages that left the queue"],
  ["messages", "messages", "the queue"],
];

/** The panel's content for the `context` of GET …/queue. */
export function contextOf(context) {
  const { window, reserved } = context;
  const used = PARTS.reduce((sum, [name]) => sum + context[name], 0);
  const room = Math.max(1, window - reserved);
  const share = Math.round((100 * used) / room);
  const parts = [
    ...PARTS.map(([name, title, about]) => ({ name, title, about, tokens: context[name] })),
    { name: "free", title: "free", about: "", tokens: Math.max(0, room - used) },
    { name: "reserved", title: "reserved", about: "for the answer", tokens: reserved },
  ];
  const whole = Math.max(window, used + reserved, 1);
  const bar = h("div", {
    class: `context-bar${used >= PRESSURE * room ? " pressed" : ""}`,
    role: "meter",
    "aria-label": "Main context",
    "aria-valuemin": "0",
    "aria-valuemax": String(room),
    "aria-valuenow": String(Math.min(used, room)),
    "aria-valuetext": `${number(used)} of ${number(room)} tokens, ${share} %`,
  },
  parts.map(({ name, tokens }) => h("i", { class: name, vars: { "--share": String(tokens / whole) } })),
  h("b", { class: "pressure", vars: { "--at": `${(100 * PRESSURE * room) / whole}%` } }, h("span", {}, "70 %")));
  return [
    h("p", { class: "context-sum" }, h("b", {}, `${share} %`),
      ` of the prompt: ${number(used)} of ${number(room)} tokens. The window has ${number(window)}.`),
    bar,
    h("dl", { class: "legend" }, parts.map(({ name, title, about, tokens }) =>
      h("div", { class: name, title: about || null }, h("dt", {}, title), h("dd", {}, number(tokens))))),
  ];
}

export function number(value) {
  return value.toLocaleString("en-GB");
}
