// The steps of an agent: its thought, and the functions that it called, folded.

import { h } from "../dom.js";
import { argumentsOf } from "./thread.js";

const SHORT = 64;

/** The steps as a list. Calls that only say what the user reads anyway are left out if `inChat`. */
export function stepsOf(steps, { inChat = false } = {}) {
  const shown = steps
    .map((step) => ({ ...step, calls: step.calls.filter((call) => !inChat || call.failed || call.name !== "send_message") }))
    .filter((step) => step.thought || step.calls.length > 0);
  if (shown.length === 0) return null;
  return h("ol", { class: "agent-steps", "aria-label": "Steps" }, shown.map((step) =>
    h("li", { data: { step: String(step.number) } },
      step.thought && h("p", { class: "thought", dir: "auto" }, h("span", { class: "unseen" }, "Thought: "), step.thought),
      step.calls.map(callOf))));
}

/** A call: its name and the beginning of its arguments; all of it and the result when it is opened. */
export function callOf(call) {
  const given = argumentsOf(call);
  const state = call.failed ? "failed" : call.result === null ? "waiting" : "done";
  return h("details", { class: `call ${state}`, data: { call: call.name } },
    h("summary", {}, h("code", {}, call.name), " ",
      h("span", { class: "brief", dir: "auto" }, brief(given, call.arguments)),
      call.failed && h("span", { class: "mark" }, "failed"),
      call.result === null && h("span", { class: "mark" }, "no result yet")),
    h("dl", {},
      given === null
        ? h("div", {}, h("dt", {}, "arguments"), h("dd", { dir: "auto" }, call.arguments || "none"))
        : Object.entries(given).map(([name, value]) =>
          h("div", {}, h("dt", {}, name), h("dd", { dir: "auto" }, plain(value)))),
      call.result !== null && h("div", { class: "result" }, h("dt", {}, call.failed ? "error" : "result"),
        h("dd", { dir: "auto" }, call.result || "nothing"))));
}

/** The first argument that says something, cut. */
function brief(given, written) {
  const values = given === null ? [written] : Object.entries(given)
    .filter(([name]) => name !== "request_heartbeat").map(([, value]) => plain(value));
  const text = values.filter(Boolean).join(" · ");
  const letters = [...text];
  return letters.length > SHORT ? `${letters.slice(0, SHORT - 1).join("")}…` : text;
}

function plain(value) {
  return typeof value === "string" ? value : JSON.stringify(value);
}
