// The page: it asks, shows what came of it, and keeps looking at the conversation.

import { Actions } from "./actions.js";
import { AgentView } from "./agents/view.js";
import { Api, Problem } from "./api.js";
import { ChatView, spoken } from "./chat.js";
import { Composer } from "./composer.js";
import { $, h, icon } from "./dom.js";
import { Door } from "./door.js";
import { keepFocus } from "./focus.js";
import { Header } from "./header.js";
import { keys } from "./keys.js";
import { tabs } from "./look.js";
import { Notices } from "./notices.js";
import { Panels } from "./panels.js";
import { offerQuickReplies } from "./quick.js";
import { pause } from "./retries.js";
import { offerNext } from "./sample.js";
import { Session } from "./session.js";
import { Thread } from "./thread.js";
import { tips } from "./tips.js";
import { welcomeOf } from "./welcome.js";
import { heard, named } from "./words.js";

const POLL = 3000; // ms between two looks at the conversation
const WAITING = "Connecting to the service …";
const FORGOTTEN = {
  all: "Everything is forgotten.",
  entities: "What was remembered is forgotten.",
  flow: "The dialog flow is forgotten.",
};

class Page {
  session = null; // who asks, with which key
  thread = null; // the conversation that is shown; null while it is not known which
  threads = new Map(); // by owner and model
  away = false;
  #look = { thread: null, next: 0, failures: 0 };
  #choice = null; // the model that was chosen last
  #model = null; // the model that the user talks to, also while an agent is shown
  #switching = Promise.resolve();

  constructor() {
    this.chat = new ChatView({
      list: $("#turns"),
      scroll: $("#scroll"),
      onSelect: (turn) => this.select(turn === this.thread.selected ? null : turn),
      onAgain: (turn) => this.again(turn),
    });
    this.panels = new Panels({
      onForget: (group) => this.forget({ group }),
      onOver: () => this.look({ soon: true }),
      onBack: () => this.select(null),
      onSay: (text) => this.#answer(text),
    });
    this.composer = new Composer({
      form: $("#ask"),
      input: $("#question"),
      alert: $("#unsent"),
      onAsk: (text) => this.ask(text),
    });
    this.notices = new Notices($("#notice"), { onFocusLost: () => this.composer.focus() });
    this.agents = new AgentView({
      notices: this.notices,
      onSay: (text) => this.#say(text),
      onTrouble: (problem, asked) => this.#trouble(problem, asked),
      onBack: () => this.#back(),
      onChange: (thread) => this.#attend(thread),
    });
    this.actions = new Actions({
      notices: this.notices,
      current: () => this.thread,
      onDone: () => this.#back(),
      onProblem: (problem, thread) => {
        if (problem.slug === "offline") this.away = true;
        else if (this.thread === thread) this.#trouble(problem, { asked: true });
      },
    });
    this.door = new Door({ dialog: $("#door"), onKey: (key) => {
      this.notices.clear("key");
      this.begin(Api.withKey(key), this.session.user);
    } });
    this.header = new Header({
      onModel: (model) => this.#leaveAgent(model),
      onAgent: (agent) => this.#openAgent(agent),
      onUser: (user) => this.switchUser(user),
      onReset: (what) => this.forget({ what }),
      onKey: () => this.door.open(),
      onHelp: () => $("#keys").showModal(),
    });
    this.tip = tips($("#tip"));
    this.#furnish();
  }

  /** Begin a session. Nothing of the one before goes on. */
  begin(api, user) {
    this.session?.end();
    const session = new Session(api, user, {
      onConnect: (active, choices) => this.#connected(active, choices),
      onFailure: (problem) => this.#notConnected(problem),
    });
    this.session = session;
    this.#enter(null);
    this.header.showUser(session);
    session.connect();
  }

  #connected(active, choices) {
    this.header.showUser(this.session);
    this.header.listModels(choices, this.session.agents);
    this.notices.clear("session");
    this.#back();
    this.#model = active;
    const wanted = new URLSearchParams(location.search).get("agent");
    if (this.session.agents.some(({ name }) => name === wanted)) this.#openAgent(wanted);
    else this.#open(active);
  }

  #openAgent(name) {
    this.#enter(null);
    this.#locate({ agent: name });
    this.agents.enter(this.session, this.session.agents.find((agent) => agent.name === name));
    this.composer.text ||= this.agents.thread.draft;
    this.composer.accept();
    this.header.showAgent(name);
    this.#say(`The agent ${name} with ${this.session.user}.`);
  }

  /** Go from an agent, or from another model, to a model. */
  #leaveAgent(model) {
    const isOpen = this.agents.thread !== null && model === this.#model;
    if (this.agents.thread) this.#open(this.#model); // it is the one that the service knows
    if (!isOpen) this.switchModel(model);
  }

  /** Say what is wrong, and what to do if it is not tried again by itself. */
  #notConnected(problem) {
    this.header.showUser(this.session);
    const choices = {};
    let todo = "";
    if (problem.isTransient) {
      this.away ||= problem.slug === "offline";
      todo = "Trying again; what you have typed stays.";
    } else if (problem.status === 401 || problem.status === 403) {
      choices["Enter a key"] = () => this.door.open();
      if (problem.status === 401) this.#offerKey(problem);
    } else if (problem.status === 422 && this.header.refuseUser()) {
      todo = "Change the user above.";
    } else {
      choices["Try again"] = () => this.session.connect();
    }
    this.notices.trouble("session", problem.title, `${problem.reason} ${todo}`.trim(), { choices });
    $("#welcome").replaceChildren(h("p", { class: "about" },
      problem.isTransient ? WAITING : "There is no conversation yet."));
  }

  /** Show the conversation of the user with a model. */
  #open(model) {
    const { owner, user } = this.session;
    const name = JSON.stringify([owner, model]);
    if (!this.threads.has(name)) this.threads.set(name, new Thread(user, model));
    this.#model = model;
    this.#enter(this.threads.get(name));
    this.#locate({ agent: null });
    if (this.#choice === null || this.#choice === model) this.header.showModel(model);
    this.chat.end();
    this.#say(`${this.#subject(this.thread)}.`);
    this.look({ soon: true });
  }

  /** Show another conversation, or none. What waits to be tried again in the former is dropped. */
  #enter(thread) {
    if (this.thread !== thread) this.actions.drop();
    const former = this.agents.thread ?? this.thread;
    if (former) {
      former.draft = this.composer.text;
      this.composer.text = "";
    }
    this.agents.leave();
    this.thread = thread;
    if (thread) {
      this.composer.text ||= thread.draft; // what was typed while there was none is kept
      this.composer.accept();
      this.show();
    } else {
      this.#choice = null;
      this.#switching = Promise.resolve();
      $("main").removeAttribute("aria-busy");
      this.header.lockModels();
      $("#welcome").hidden = false;
      $("#welcome").replaceChildren(h("p", { class: "about" }, WAITING));
      $("#next").hidden = true;
      $("#quick").hidden = true;
      this.chat.clear();
      this.panels.clear();
      this.tip.settle();
    }
  }

  /** Send a question; if that cannot be done now, say why and return false. */
  ask(text) {
    if (this.agents.thread) return this.#write(text);
    const hindrance = this.#hindrance();
    if (hindrance) {
      this.composer.refuse(`Not sent: ${hindrance}`);
      if (!this.thread && this.session.problem?.status !== 429) this.session.connect();
      return false;
    }
    const { thread } = this;
    this.actions.drop(); // what was to be forgotten was said before this question
    const turn = thread.begin(text);
    this.composer.accept();
    this.show();
    this.chat.end();
    this.#send(thread, turn);
    return true;
  }

  /** Send a message to the agent. */
  #write(text) {
    const { hindrance } = this.agents;
    if (hindrance) {
      this.composer.refuse(`Not sent: ${hindrance}`);
      return false;
    }
    this.composer.accept();
    this.agents.send(text);
    return true;
  }

  /** Let the input fit what an agent does. */
  #attend(thread) {
    this.composer.recall(thread.turns.map((turn) => turn.text).filter(Boolean));
    $("#question").placeholder = `Write to ${thread.info.name}`;
    $("#send").setAttribute("aria-disabled", String(thread.isBusy));
    if (!thread.isBusy) this.composer.accept();
  }

  again(turn) {
    if (this.#hindrance()) {
      this.ask(turn.text);
      return;
    }
    this.thread.drop(turn);
    this.ask(turn.text);
    this.composer.focus();
  }

  /** Why no question can be asked now; "" if one can. */
  #hindrance() {
    const { problem } = this.session;
    if (!this.thread) {
      if (!problem) return "the page is still being connected. Press Enter again in a moment.";
      return `${problem.title}. ${problem.isTransient ? "Press Enter again in a moment." : problem.reason}`;
    }
    if (this.thread.isBusy) return "the last question has not been answered yet.";
    if ($("main").hasAttribute("aria-busy")) return "the model is being switched.";
    return "";
  }

  async #send(thread, turn) {
    const { api } = this.session;
    try {
      thread.answer(turn, await api.ask(turn.text, thread.who));
      this.#back();
    } catch (error) {
      turn.failedAt = Date.now();
      thread.fail(turn, Problem.from(error));
      if (this.session.api === api) this.#trouble(turn.problem, { asked: this.thread === thread });
    }
    if (turn.state === "done") await this.#remember(api, thread, turn);
    if (this.thread !== thread) return;
    this.composer.accept();
    this.show({ turn: turn.state === "done" ? turn : null });
    this.chat.end();
    this.#say(turn.reply ? spoken(turn.reply) : `${turn.problem.title} ${turn.problem.reason}`);
  }

  async #remember(api, thread, turn) {
    const { version } = thread;
    try {
      const conversation = await api.conversation(thread.who);
      if (thread.version === version) thread.take(conversation, { turn });
      else turn.after = conversation; // more has happened in it since
      thread.unreadable = null;
    } catch (error) {
      thread.unreadable = Problem.from(error);
    }
  }

  /** Look at the conversation: others may have asked in it, and things grow old. */
  async look({ soon = false } = {}) {
    const { session, thread } = this;
    const look = this.#look;
    if (!thread || look.thread === thread || thread.isBusy || (!soon && Date.now() < look.next)) return;
    look.thread = thread;
    look.next = Date.now() + POLL;
    try {
      const { version } = thread;
      const conversation = await session.api.conversation(thread.who);
      if (this.thread !== thread || session.isOver) return;
      look.failures = 0;
      if (thread.version === version) this.#take(thread, conversation);
      this.#back();
    } catch (error) {
      if (this.thread !== thread || session.isOver) return;
      const problem = Problem.from(error);
      look.failures += 1;
      look.next = Date.now() + pause(look.failures, problem);
      const fresh = thread.unreadable?.slug !== problem.slug;
      thread.unreadable = problem;
      this.#trouble(problem, { asked: false });
      if (fresh) this.show();
    } finally {
      if (look.thread === thread) look.thread = null;
    }
  }

  #take(thread, conversation) {
    const before = thread.conversation;
    const parts = (one) =>
      JSON.stringify([one?.questions, one?.flow, one?.remembered, one?.pending, one?.offers]);
    const changed = parts(before) !== parts(conversation) || thread.unreadable;
    const gone = thread.take(conversation);
    thread.unreadable = null;
    if (!changed) return;
    this.show({ gone });
    const news = heard(before, conversation, gone);
    if (news) this.#say(news);
  }

  /** Forget a group, or what the menu says. */
  forget({ what = "all", group = null }) {
    const { thread } = this;
    const { api } = this.session;
    const title = group === null ? "Not reset" : `Not forgotten: the group ${group}`;
    if (!thread) {
      this.notices.trouble("forget", title, "There is no conversation yet.", { dismissible: true });
      return;
    }
    this.actions.run({
      kind: "forget",
      title,
      subject: this.#subject(thread),
      thread,
      call: async () => {
        const gone = thread.take(await api.forget(thread.who, { what, group }), { forgotten: true });
        if (this.thread !== thread) return;
        thread.selected = null;
        this.show({ gone, neighbour: group !== null });
        this.#say(group === null ? FORGOTTEN[what] : `Forgotten: ${named(gone)}.`);
      },
    });
  }

  /** Switch the user to another model, once a switch that is under way is through. */
  switchModel(model, failures = 1) {
    const { session, thread } = this;
    const isCurrent = () => !session.isOver && this.#choice === model;
    this.#choice = model;
    this.actions.replace("switch");
    $("main").setAttribute("aria-busy", "true"); // a question now would go to the old one
    this.#switching = this.#switching
      .then(() => isCurrent() && this.actions.run({
        kind: "switch",
        title: `Not switched to ${this.header.nameOf(model)}`,
        subject: this.#subject(thread),
        thread,
        call: async () => {
          await session.api.switchModel(thread.who.user, model);
          if (!session.isOver) await session.learn(model);
          if (!session.isOver && !this.agents.thread) this.#open(model);
        },
        retry: () => this.switchModel(model, failures + 1),
      }, failures))
      .finally(() => {
        if (!isCurrent()) return;
        $("main").removeAttribute("aria-busy");
        this.header.showModel(this.thread.who.model);
      });
  }

  switchUser(user) {
    if (user === this.session.user) {
      if (!this.thread && !this.agents.thread) this.session.connect();
      return;
    }
    this.#locate({ user });
    this.begin(this.session.api, user);
  }

  /** Let the address say what is shown; null is left out of it. */
  #locate(parts) {
    const url = new URL(location.href);
    for (const [name, text] of Object.entries(parts)) {
      if (text === null) url.searchParams.delete(name);
      else url.searchParams.set(name, text);
    }
    if (url.href !== location.href) history.replaceState(null, "", url);
  }

  /** Look at an earlier answer; null is now. */
  select(turn) {
    const { thread } = this;
    const before = thread.selected;
    thread.selected = turn === thread.turns.at(-1) ? null : turn;
    this.show({ otherwise: () => [before && this.chat.button(before), $("#why")] });
    if (turn) this.chat.reveal(turn);
    const { selected } = thread;
    if (selected) {
      const number = thread.turns.indexOf(selected) + 1;
      this.#say(`Question ${number} of ${thread.turns.length}, as it was: ${selected.text}`);
    } else if (before) {
      this.#say("Back to now.");
    }
  }

  step(by) {
    const done = this.thread?.turns.filter((turn) => turn.state === "done") ?? [];
    const here = done.indexOf(this.thread?.shown);
    if (done[here + by]) this.select(done[here + by]);
  }

  show({ turn = null, gone = [], ...focus } = {}) {
    keepFocus(() => this.#show(turn, gone), focus);
    this.tip.settle();
  }

  #show(turn, gone) {
    const { thread } = this;
    const { model, palette } = this.session.known(thread.who.model);
    const fresh = thread.turns.length === 0;
    $("#welcome").hidden = !fresh;
    if (fresh) {
      $("#welcome").replaceChildren(...welcomeOf(model, thread.conversation, (texts) => {
        thread.sample = { texts, at: 0 };
        this.#play();
      }));
    }
    this.chat.show(thread, palette);
    this.panels.show(thread, palette, { turn, gone });
    this.composer.recall(thread.turns.map((one) => one.text));
    const last = thread.turns.findLast((one) => one.state === "done")?.reply;
    $("#question").placeholder = last?.status === "incomplete" && last.prompt
      ? last.prompt
      : "Ask a question";
    $("#send").setAttribute("aria-disabled", String(thread.isBusy));
    offerQuickReplies($("#quick"), thread, (text) => this.#answer(text));
    this.#offerNext();
  }

  /** Tell of what every request may meet: a service that is away, a key that it refuses. */
  #trouble(problem, { asked }) {
    if (problem.slug === "offline") {
      this.away = true;
      this.notices.trouble("service", problem.title,
        `${problem.detail} Trying again; what you have typed stays.`);
    } else if (problem.status === 401) {
      this.#offerKey(problem, { asked });
    } else if (problem.slug === "page") {
      this.notices.trouble("page", problem.title, problem.detail, { dismissible: true });
    }
  }

  #back() {
    this.notices.clear("service");
    this.notices.clear("key");
    if (!this.away) return;
    this.away = false;
    this.notices.tell("The service is back");
  }

  /** Ask for a key; `asked` says that the user is waiting for what needs it. */
  #offerKey(problem, { asked = false } = {}) {
    const reason = this.session.api.hasKey ? problem.reason || "The service does not know this key." : "";
    this.header.offerKey();
    if (this.thread || this.agents.thread) {
      this.notices.trouble("key", problem.title, reason,
        { choices: { "Enter a key": () => this.door.open() } });
    }
    if (asked) this.door.open(reason);
    else this.door.offer(reason);
  }

  #say(text) {
    $("#said").replaceChildren(h("span", {}, text));
  }

  #subject({ who: { user, model } }) {
    return `The conversation of ${user} with ${this.session.known(model).model.name || model}`;
  }

  #offerNext() {
    offerNext($("#next"), this.thread, {
      onPlay: () => this.#play(),
      onLeave: () => {
        this.thread.sample = null;
        keepFocus(() => this.#offerNext());
      },
    });
  }

  /** Say what a button says for the user. */
  #answer(text) {
    this.ask(text);
    this.#toQuestion();
  }

  #toQuestion() {
    this.views.select("chat");
    this.composer.focus();
  }

  #play() {
    const { sample } = this.thread;
    const text = sample.texts[sample.at];
    sample.at += 1;
    if (!this.ask(text)) sample.at -= 1;
    this.composer.focus();
  }

  #furnish() {
    $("#send").append(icon("send"));
    this.views = tabs($("#tabs"));
    $(".skip").addEventListener("click", (event) => {
      event.preventDefault();
      this.#toQuestion();
    });
    keys({
      help: $("#keys"),
      onFocus: () => this.#toQuestion(),
      onStep: (by) => this.step(by),
      onBack: () => (this.tip.shown ? this.tip.hide() : this.thread?.selected && this.select(null)),
    });
    setInterval(() => {
      this.panels.tick();
      this.chat.tick();
      this.agents.tick();
      if (document.hidden || this.door.isOpen) return;
      this.look();
      this.agents.look();
    }, 1000);
    document.addEventListener("visibilitychange", () => {
      if (document.hidden) return;
      this.look({ soon: true });
      this.agents.look({ soon: true });
    });
  }
}

new Page().begin(Api.fromTab(), new URLSearchParams(location.search).get("user") || "user");
