// The panels beside the chat with an agent.

import { $, h } from "../dom.js";
import { counted, moment } from "../words.js";
import { contextOf, number } from "./context.js";
import { CoreView } from "./core.js";
import { GraphView } from "./graph.js";
import { SearchView } from "./search.js";
import { callOf, stepsOf } from "./steps.js";

const KINDS = {
  user_message: "message",
  login: "login",
  heartbeat: "timed heartbeat",
  system_alert: "alert",
  document: "document loaded",
};

export class AgentPanels {
  #drawn = {}; // what each panel shows

  constructor({ onSaved, onSay }) {
    this.core = new CoreView({ root: $("#agent-core .content"), onSaved });
    this.search = new SearchView($("#agent-search"));
    this.graph = new GraphView($("#agent-graph"), { onSay });
  }

  enter(thread) {
    this.#drawn = {};
    $("#agent-graph").hidden = !thread.info.graph;
    this.core.blank("One moment …");
    this.search.enter(thread);
    this.graph.enter(thread);
    for (const name of ["context", "queue", "steps", "usage"]) {
      $(`#agent-${name} .content`).replaceChildren(h("p", { class: "empty" }, "One moment …"));
    }
  }

  show(thread) {
    const { queue, core, answers, usage, unreadable } = thread;
    if (queue === null) {
      if (unreadable) this.#blank(unreadable.status === 403
        ? "This key may write to the agent, but not look into its memory."
        : "The memory cannot be read now.");
      return;
    }
    this.#fill("context", queue.context, contextOf);
    this.#fill("queue", queue, queueOf);
    this.#fill("steps", answers, eventsOf);
    this.#fill("usage", usage, usageOf);
    if (core) this.core.show(thread, core);
  }

  #blank(why) {
    this.#drawn = {};
    this.core.blank(why);
    for (const name of ["context", "queue", "steps", "usage"]) {
      $(`#agent-${name} .content`).replaceChildren(h("p", { class: "empty" }, why));
    }
  }

  /** Draw a panel anew if it shows something else than it did; what was open in it stays open. */
  #fill(panel, value, draw) {
    const name = JSON.stringify(value);
    if (this.#drawn[panel] === name) return;
    this.#drawn[panel] = name;
    const root = $(`#agent-${panel} .content`);
    const open = new Set([...root.querySelectorAll("details[open]")].map(placeOf));
    root.replaceChildren(...draw(value).filter(Boolean));
    for (const one of root.querySelectorAll("details")) one.open ||= open.has(placeOf(one));
  }
}

function placeOf(details) {
  const holder = details.closest("[data-place]");
  return `${holder?.dataset.place} ${[...(holder?.querySelectorAll("details") ?? [])].indexOf(details)}`;
}

/** What the model sees of the conversation: the summary, then the messages. */
function queueOf({ messages, summary, hidden, total }) {
  if (total === 0) {
    return [h("p", { class: "empty" }, "The messages that the model sees line up here. "
      + "The oldest are summarized when its window is full.")];
  }
  return [
    h("p", { class: "sub" }, `${counted(messages.length, "message")} in the prompt`,
      hidden > 0 && `, ${number(hidden)} hidden: they can still be recalled`, "."),
    summary && h("section", { class: "summary" }, h("h3", {}, "Summary of what was hidden"),
      h("p", { dir: "auto" }, summary)),
    h("ol", { class: "queue" }, messages.map((message) =>
      h("li", { class: message.kind, data: { place: String(message.number) } },
        h("span", { class: "who" }, whoOf(message)),
        h("div", {},
          message.text && h("p", { class: "text", dir: "auto" }, shownPart(message)),
          message.shown !== null && h("p", { class: "sub" },
            `The model sees ${number(message.shown)} of ${number(message.text.length)} characters.`),
          message.calls.map((call) => callOf({ ...call, result: "" }))),
        h("span", { class: "tokens" }, number(message.tokens))))),
  ];
}

function shownPart({ text, shown }) {
  return shown === null ? text : `${text.slice(0, shown)}…`;
}

function whoOf({ kind, name, failed }) {
  if (kind === "assistant") return "agent";
  if (kind === "result") return failed ? `${name} failed` : name;
  return name === "user_message" ? "user" : KINDS[name] ?? name;
}

/** What the agent did with the last events, newest first. */
function eventsOf(answers) {
  if (answers.length === 0) return [h("p", { class: "empty" }, "What the agent does with each event stands here.")];
  return [h("ol", { class: "events" }, answers.toReversed().map((answer) => {
    const calls = answer.steps.reduce((sum, step) => sum + step.calls.length, 0);
    const at = answer.steps[0]?.at;
    return h("li", { data: { place: answer.event } }, h("details", { data: { event: answer.event } },
      h("summary", {}, h("b", {}, KINDS[answer.kind] ?? answer.kind), " ",
        h("span", { class: "sub" }, [
          at && moment(at),
          counted(answer.steps.length, "step"),
          counted(calls, "call"),
          `${number(answer.usage.prompt_tokens + answer.usage.completion_tokens)} tokens`,
          answer.ended === "done" ? "" : answer.ended || "not finished",
        ].filter(Boolean).join(", "))),
      h("p", { class: "event-text", dir: "auto" }, answer.event_text),
      answer.detail && h("p", { class: "block-problem" }, answer.detail),
      stepsOf(answer.steps) ?? h("p", { class: "sub" }, "No step was taken.")));
  }))];
}

function usageOf({ total, today, day }) {
  const row = (name, { calls, prompt_tokens: read, completion_tokens: written, seconds }) => h("tr", {},
    h("th", { scope: "row" }, name), h("td", {}, number(calls)), h("td", {}, number(read)),
    h("td", {}, number(written)), h("td", {}, `${seconds.toFixed(1)} s`));
  return [h("div", { class: "wide", tabindex: 0, role: "group", "aria-label": "Usage" },
    h("table", {},
      h("thead", {}, h("tr", {}, ["", "Calls", "Tokens read", "Tokens written", "Time"].map((name) =>
        (name ? h("th", { scope: "col" }, name) : h("td"))))),
      h("tbody", {}, row("In all", total), day && row(`On ${day}`, today))))];
}
