// Agents on the page: sends messages, shows what the agent does with them, keeps looking at its memory.

import { Problem } from "../api.js";
import { $, h } from "../dom.js";
import { keepFocus } from "../focus.js";
import { pause } from "../retries.js";
import { AgentApi } from "./api.js";
import { AgentChat } from "./chat.js";
import { AgentPanels } from "./panels.js";
import { AgentThread, messagesOf } from "./thread.js";

const POLL = 3000; // ms between two looks at an agent
const WHOLE = 4; // every how many looks also at what may change without a message
const EVENTS = 20; // that are shown

export class AgentView {
  thread = null; // the agent that is shown
  #threads = new Map(); // by owner and agent
  #isLooking = false;
  #isStale = false; // something has happened since the look began
  #looks = 0;
  #next = 0;
  #failures = 0;

  /** `page` is told: onChange() of what is drawn anew, onSay(text), onTrouble(problem, {asked}),
   *  onBack() once the service answers. */
  constructor({ notices, onSay, onTrouble, onBack, onChange }) {
    Object.assign(this, { notices, onSay, onTrouble, onBack, onChange });
    this.chat = new AgentChat({
      list: $("#agent-turns"),
      scroll: $("#scroll"),
      onAgain: (turn) => this.again(turn),
    });
    this.panels = new AgentPanels({ onSay, onSaved: (thread, core) => this.#saved(thread, core) });
  }

  /** Show an agent to the user of a session. */
  enter(session, info) {
    const name = JSON.stringify([session.owner, info.name]);
    if (!this.#threads.has(name)) this.#threads.set(name, new AgentThread());
    this.thread = this.#threads.get(name);
    Object.assign(this.thread, { info, api: new AgentApi(session.api, info.name, session.user) });
    this.#show(true);
    document.body.dataset.kind = "agent";
    this.panels.enter(this.thread);
    this.show();
    this.chat.end();
    this.look({ soon: true });
  }

  leave() {
    if (this.thread === null) return;
    this.notices.clear("agent");
    this.thread = null;
    document.body.dataset.kind = "model";
    this.#show(false);
  }

  /** Why no message can be sent now; "" if one can. */
  get hindrance() {
    return this.thread.isBusy ? "the last message has not been answered yet." : "";
  }

  send(text) {
    const turn = this.thread.begin(text);
    this.#run(this.thread, turn);
    this.chat.end();
  }

  /** Send a message again, under the same id: whatever was done with it is not done twice. */
  again(turn) {
    if (this.thread.isBusy) return;
    Object.assign(turn, { state: "sending", answer: null, problem: null, writing: "" });
    this.#run(this.thread, turn);
    $("#question").focus();
  }

  show() {
    const { thread } = this;
    keepFocus(() => {
      $("#welcome").hidden = thread.turns.length > 0;
      if (thread.turns.length === 0) $("#welcome").replaceChildren(...welcomeOf(thread));
      this.chat.show(thread);
      this.panels.show(thread);
      this.onChange(thread);
    });
  }

  tick() {
    if (this.thread) this.chat.tick();
  }

  /** Look at the agent: others may write to it, and it works in the background. */
  async look({ soon = false } = {}) {
    const { thread } = this;
    if (this.#isLooking) this.#isStale ||= soon;
    if (!thread || this.#isLooking || (!soon && Date.now() < this.#next)) return;
    this.#isLooking = true;
    this.#isStale = false;
    this.#looks += 1;
    this.#next = Date.now() + POLL;
    let isWhole = soon || this.#looks % WHOLE === 0;
    try {
      const queue = await thread.api.queue();
      isWhole ||= JSON.stringify(queue) !== JSON.stringify(thread.queue);
      if (isWhole) {
        const [{ answers }, core, usage] = await Promise.all(
          [thread.api.steps(EVENTS), thread.api.core(), thread.api.usage()]);
        thread.take(queue, answers);
        Object.assign(thread, { core, usage });
      }
      thread.unreadable = null;
      this.#failures = 0;
      if (this.thread === thread) this.onBack();
    } catch (error) {
      const problem = Problem.from(error);
      this.#failures += 1;
      this.#next = Date.now() + pause(this.#failures, problem);
      thread.unreadable = problem;
      if (this.thread === thread) this.onTrouble(problem, { asked: false });
    } finally {
      this.#isLooking = false;
    }
    if (this.thread === thread) {
      this.show();
      if (isWhole) this.panels.graph.look();
    }
    if (this.#isStale || this.thread !== thread) this.look({ soon: true });
  }

  async #run(thread, turn) {
    this.notices.clear("agent");
    this.#refresh(thread);
    try {
      const answer = await thread.api.send(turn.text, {
        id: turn.id,
        onStep: (step) => {
          const others = turn.steps.filter((one) => one.number !== step.number);
          Object.assign(turn, { steps: [...others, step], writing: "" });
          this.#refresh(thread);
          this.look({ soon: true });
        },
        onText: (text) => {
          turn.writing += text;
          if (this.thread === thread) keepFocus(() => this.chat.show(thread));
        },
      });
      Object.assign(turn, { state: "done", answer, steps: answer.steps, writing: "" });
      this.onBack();
    } catch (error) {
      const problem = Problem.from(error);
      Object.assign(turn, { state: "failed", problem, failedAt: Date.now(), writing: "" });
      if (this.thread === thread) this.#fail(turn, problem);
    }
    this.#refresh(thread);
    if (this.thread !== thread) return;
    this.onSay(turn.state === "done"
      ? messagesOf(turn).join(" ") || "The agent had nothing to say."
      : `${turn.problem.title}. ${turn.problem.reason}`);
    this.look({ soon: true });
  }

  #fail(turn, problem) {
    this.onTrouble(problem, { asked: true });
    if (problem.slug === "offline" || problem.status === 401) return; // told for the whole page
    const choices = problem.isTransient ? { "Try again": () => this.again(turn) } : {};
    this.notices.trouble("agent", problem.title, problem.reason, { choices, dismissible: true });
  }

  #refresh(thread) {
    if (this.thread === thread) this.show();
  }

  #saved(thread, core) {
    thread.core = core;
    if (this.thread !== thread) return;
    this.onSay("Saved.");
    this.panels.show(thread);
    this.look({ soon: true });
  }

  #show(isAgent) {
    for (const selector of ["#agent-turns", "#agent-panels"]) $(selector).hidden = !isAgent;
    for (const selector of ["#turns", "#model-panels", ".menu-place"]) $(selector).hidden = isAgent;
    $("#why-tab").textContent = isAgent ? "Activity" : "Why";
  }
}

function welcomeOf({ info, unreadable }) {
  return [
    h("h2", {}, info.name),
    h("p", { class: "about" }, `An agent with a memory of its own${info.model ? `, by ${info.model}` : ""}. `
      + "It remembers what you tell it, also when the conversation is long over."),
    unreadable?.status === 403 && h("p", { class: "about" }, "Earlier messages cannot be shown with this key."),
  ].filter(Boolean);
}
