// The page: it asks, shows what came of it, and keeps looking at the conversation.

import { Api, Problem } from "./api.js";
import { ChatView, spoken } from "./chat.js";
import { Palette } from "./colors.js";
import { Composer } from "./composer.js";
import { $, h, icon } from "./dom.js";
import { Door } from "./door.js";
import { keepFocus } from "./focus.js";
import { keys } from "./keys.js";
import { tabs, themeSwitch } from "./look.js";
import { menu } from "./menu.js";
import { Notices } from "./notices.js";
import { Panels } from "./panels.js";
import { Retries, pause } from "./retries.js";
import { Thread } from "./thread.js";
import { tips } from "./tips.js";
import { welcomeOf } from "./welcome.js";
import { heard, named } from "./words.js";

const POLL = 3000; // ms between two looks at the conversation
const FORGOTTEN = {
  all: "Everything is forgotten.",
  entities: "What was remembered is forgotten.",
  flow: "The dialog flow is forgotten.",
};

class Page {
  api = Api.fromTab();
  user = new URLSearchParams(location.search).get("user") || "user";
  thread = null; // the conversation that is shown; null while it is not known which
  threads = new Map(); // by owner, user and model
  models = new Map(); // what GET /v1/model said, by id
  palettes = new Map();
  away = false;
  #session = new AbortController(); // one user with one key: what is left of it is aborted
  #owner = ""; // whose conversations the key shows
  #start = { timer: 0, failures: 0, isRunning: false, problem: null };
  #look = { thread: null, next: 0, failures: 0 };
  #choice = null; // the model that was chosen last
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
    });
    this.composer = new Composer({
      form: $("#ask"),
      input: $("#question"),
      alert: $("#unsent"),
      onAsk: (text) => this.ask(text),
    });
    this.notices = new Notices($("#notice"), { onFocusLost: () => this.composer.focus() });
    this.retries = new Retries({
      onDrop: (action) => this.#tellUndone(action,
        "you went on before the service could be reached, so it was not tried again."),
    });
    this.door = new Door({ dialog: $("#door"), onKey: (key) => this.#useKey(key) });
    this.#furnish();
  }

  /** Begin with the user and the key of now. Nothing of those before goes on. */
  begin() {
    this.#session.abort();
    this.#session = new AbortController();
    clearTimeout(this.#start.timer);
    this.#start = { timer: 0, failures: 0, isRunning: false, problem: null };
    this.#enter(null);
    this.#connect();
  }

  /** Find out who is asking, which models there are, and show the active one's conversation. */
  async #connect() {
    const [start, { signal }] = [this.#start, this.#session];
    if (start.isRunning) return;
    start.isRunning = true;
    clearTimeout(start.timer);
    try {
      const me = await this.api.whoAmI(signal);
      if (me.user) this.user = me.user;
      this.#owner = JSON.stringify([me.id, me.tenant]);
      $("#user").value = this.user;
      $("#user").readOnly = Boolean(me.user);
      $("#user").removeAttribute("aria-invalid");
      $("#key").hidden = me.id === null;
      if (!me.scopes.includes("ask")) throw mayNotAsk(me);
      const active = await this.api.activeModel(this.user, signal);
      await this.#listModels(active.model, signal);
      await this.#open(active.model, signal);
      start.problem = null;
      this.notices.clear("start");
      this.composer.accept();
      this.#back();
    } catch (error) {
      if (!signal.aborted) this.#notStarted(problemOf(error));
    } finally {
      start.isRunning = false;
    }
  }

  /** Try again what may succeed later; else say what to do. */
  #notStarted(problem) {
    const start = this.#start;
    start.problem = problem;
    start.failures += 1;
    const choices = {};
    let todo = "";
    if (problem.isTransient) {
      this.away ||= problem.slug === "offline";
      todo = "Trying again; what you have typed stays.";
      start.timer = setTimeout(() => this.#connect(), pause(start.failures, problem));
    } else if (problem.status === 401 || problem.status === 403) {
      choices["Enter a key"] = () => this.door.open();
      if (problem.status === 401) this.#offerKey(problem);
    } else if (problem.status === 422 && !$("#user").readOnly) {
      todo = "Change the user above.";
      $("#user").setAttribute("aria-invalid", "true");
      this.#showTools(true);
    } else {
      choices["Try again"] = () => this.#connect();
    }
    this.notices.trouble("start", problem.title, `${problem.reason} ${todo}`.trim(), { choices });
  }

  /** Show the conversation of the user with a model. */
  async #open(model, signal) {
    await this.#learn(model, signal);
    const name = JSON.stringify([this.#owner, this.user, model]);
    if (!this.threads.has(name)) this.threads.set(name, new Thread(this.user, model));
    this.#enter(this.threads.get(name));
    if (this.#choice === null || this.#choice === model) $("#model").value = model;
    this.chat.end();
    this.#say(`The conversation of ${this.#subject(this.thread)}.`);
    this.look({ soon: true });
  }

  /** Show another conversation, or none. What waits to be tried again in the former is dropped. */
  #enter(thread) {
    if (this.thread !== thread) this.retries.drop();
    if (this.thread) {
      this.thread.draft = this.composer.text;
      this.composer.text = "";
    }
    this.thread = thread;
    if (thread) {
      this.composer.text ||= thread.draft; // what was typed while there was none is kept
      this.composer.accept();
      this.show();
    } else {
      this.#choice = null;
      this.#switching = Promise.resolve();
      $("main").removeAttribute("aria-busy");
      $("#model").disabled = true;
      $("#welcome").hidden = false;
      $("#welcome").replaceChildren(h("p", { class: "about" }, "One moment …"));
      $("#next").hidden = true;
      this.chat.clear();
      this.panels.clear();
      this.tip.settle();
    }
  }

  /** Send a question; if that cannot be done now, say why and return false. */
  ask(text) {
    const hindrance = this.#hindrance();
    if (hindrance) {
      this.composer.refuse(`Not sent: ${hindrance}`);
      if (!this.thread && this.#start.problem?.status !== 429) this.#connect(); // do not wait longer
      return false;
    }
    const { thread } = this;
    this.retries.drop(); // what was to be forgotten was said before this question
    const turn = thread.begin(text);
    this.composer.accept();
    this.show();
    this.chat.end();
    this.#send(thread, turn);
    return true;
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
    const { problem } = this.#start;
    if (!this.thread) {
      if (!problem) return "the page is still being connected. Press Enter again in a moment.";
      return `${problem.title}. ${problem.isTransient ? "Press Enter again in a moment." : problem.reason}`;
    }
    if (this.thread.isBusy) return "the last question has not been answered yet.";
    if ($("main").hasAttribute("aria-busy")) return "the model is being switched.";
    return "";
  }

  async #send(thread, turn) {
    const { api } = this;
    try {
      thread.answer(turn, await api.ask(turn.text, thread.who));
      this.#back();
    } catch (error) {
      turn.failedAt = Date.now();
      thread.fail(turn, problemOf(error));
      if (this.api === api) this.#trouble(turn.problem, { asked: this.thread === thread });
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
      thread.unreadable = problemOf(error);
    }
  }

  /** Look at the conversation: others may have asked in it, and things grow old. */
  async look({ soon = false } = {}) {
    const { api, thread } = this;
    const look = this.#look;
    if (!thread || look.thread === thread || thread.isBusy || (!soon && Date.now() < look.next)) return;
    look.thread = thread;
    look.next = Date.now() + POLL;
    try {
      const { version } = thread;
      const conversation = await api.conversation(thread.who);
      if (this.thread !== thread || this.api !== api) return;
      look.failures = 0;
      if (thread.version === version) this.#take(thread, conversation);
      this.#back();
    } catch (error) {
      if (this.thread !== thread || this.api !== api) return;
      const problem = problemOf(error);
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
    const parts = (one) => JSON.stringify([one?.questions, one?.flow, one?.remembered, one?.pending]);
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
    const title = group === null ? "Not reset" : `Not forgotten: the group ${group}`;
    if (!thread) {
      this.notices.trouble("forget", title, "There is no conversation yet.", { dismissible: true });
      return;
    }
    this.#act({
      kind: "forget",
      title,
      thread,
      call: async (api) => {
        const gone = thread.take(await api.forget(thread.who, { what, group }), { forgotten: true });
        if (this.thread !== thread) return;
        thread.selected = null;
        this.show({ gone, neighbour: group !== null });
        this.#say(group === null ? FORGOTTEN[what] : `Forgotten: ${named(gone)}.`);
      },
    });
  }

  /** Switch the user to another model, after a switch that is under way. */
  switchModel(model) {
    const { thread } = this;
    const { signal } = this.#session;
    this.#choice = model;
    this.retries.cancel("switch");
    $("main").setAttribute("aria-busy", "true"); // a question now would go to the old one
    this.#switching = this.#switching.then(async () => {
      if (signal.aborted || this.#choice !== model) return;
      await this.#act({
        kind: "switch",
        title: `Not switched to ${this.#nameOf(model)}`,
        thread,
        call: async (api) => {
          await api.switchModel(thread.who.user, model);
          if (!signal.aborted) await this.#open(model, signal);
        },
        retry: () => this.switchModel(model),
      });
    }).finally(() => {
      if (signal !== this.#session.signal || this.#choice !== model) return;
      $("main").removeAttribute("aria-busy");
      if (this.thread) $("#model").value = this.thread.who.model;
    });
  }

  /** Do what the user has asked for in a conversation. If the service is away, do it once it is
   *  back, as long as the same conversation is shown and no question was asked in it since. */
  async #act(action, failures = 1) {
    const { api } = this;
    const { kind, thread } = action;
    const last = thread.turns.at(-1);
    this.retries.cancel(kind);
    try {
      await action.call(api);
      this.notices.clear(kind);
      this.#back();
    } catch (error) {
      const problem = problemOf(error);
      const wentOn = this.thread !== thread || thread.turns.at(-1) !== last;
      if (problem.slug !== "offline" || wentOn) {
        this.#tellUndone(action, `${problem.title}. ${problem.reason}`);
        if (problem.status === 401 && this.api === api) this.#offerKey(problem);
        return;
      }
      this.away = true;
      this.notices.trouble(kind, `${action.title} yet`,
        `The conversation of ${this.#subject(thread)}: ${problem.title}. Trying again.`);
      const run = action.retry ?? (() => this.#act(action, failures + 1));
      this.retries.schedule({ ...action, run }, pause(failures, problem));
    }
  }

  /** Say what the user has asked for and was not done. */
  #tellUndone({ kind, title, thread }, why) {
    this.notices.trouble(kind, title, `The conversation of ${this.#subject(thread)}: ${why}`,
      { dismissible: true });
  }

  switchUser(user) {
    if (user === this.user && this.thread) return;
    this.user = user;
    const url = new URL(location.href);
    url.searchParams.set("user", user);
    history.replaceState(null, "", url);
    this.begin();
  }

  #useKey(key) {
    this.api = Api.withKey(key);
    this.models = new Map(); // this key may see others
    this.palettes = new Map();
    this.notices.clear("key");
    this.begin();
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
    const palette = this.palettes.get(thread.who.model) ?? new Palette();
    const fresh = thread.turns.length === 0;
    const model = this.models.get(thread.who.model) ?? { id: thread.who.model };
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
    if (!this.away) return;
    this.away = false;
    this.notices.tell("The service is back");
  }

  /** Ask for a key; `asked` says that the user is waiting for what needs it. */
  #offerKey(problem, { asked = false } = {}) {
    const reason = this.api.hasKey ? problem.reason || "The service does not know this key." : "";
    $("#key").hidden = false;
    if (this.thread) {
      this.notices.trouble("key", problem.title, reason,
        { choices: { "Enter a key": () => this.door.open() } });
    }
    if (asked) this.door.open(reason);
    else this.door.offer(reason);
  }

  #say(text) {
    $("#said").replaceChildren(h("span", {}, text));
  }

  #nameOf(model) {
    return this.models.get(model)?.name || model;
  }

  #subject({ who: { user, model } }) {
    return `${user} with ${this.#nameOf(model)}`;
  }

  #offerNext() {
    const { sample } = this.thread;
    const next = sample?.texts[sample.at];
    const box = $("#next");
    box.hidden = !next || this.thread.turns.length === 0;
    if (box.hidden) return;
    box.replaceChildren(
      h("span", { class: "label" }, "Next in this sample"),
      h("button", { type: "button", class: "text", dir: "auto", on: { click: () => this.#play() } }, next),
      h("button", {
        type: "button",
        class: "icon",
        "aria-label": "Leave the sample",
        title: "Leave the sample",
        on: {
          click: () => {
            this.thread.sample = null;
            keepFocus(() => this.#offerNext());
          },
        },
      }, icon("close")),
    );
  }

  #play() {
    const { sample } = this.thread;
    const text = sample.texts[sample.at];
    sample.at += 1;
    if (!this.ask(text)) sample.at -= 1;
    this.composer.focus();
  }

  /** The models to choose from; the active one alone, if the key may not list them. */
  async #listModels(active, signal) {
    let models = [{ id: active, name: active }];
    try {
      ({ models } = await this.api.models(signal));
    } catch (error) {
      if (error.status !== 403) throw error;
    }
    const select = $("#model");
    select.replaceChildren(...models.map(({ id, name }) =>
      h("option", { value: id }, name || id)));
    select.disabled = models.length < 2;
  }

  async #learn(id, signal) {
    if (this.models.has(id)) return;
    let model = { id, samples: [] };
    try {
      model = await this.api.model(id, signal);
    } catch (error) {
      if (error.status !== 403) throw error;
    }
    this.models.set(id, model);
    this.palettes.set(id, new Palette(model.elements));
  }

  #furnish() {
    $("#choice").append(icon("down"));
    $("#send").append(icon("send"));
    $("#more").append(icon("more"));
    $("#help").append(icon("keys"));
    themeSwitch($("#theme"));
    const views = tabs($("#tabs"));
    const toQuestion = () => {
      views.select("chat");
      this.composer.focus();
    };
    this.tip = tips($("#tip"));
    menu($("#reset"), $("#reset-menu"), (item) => this.forget({ what: item.dataset.what }));
    $("#help").addEventListener("click", () => $("#keys").showModal());
    $("#more").addEventListener("click", () =>
      this.#showTools(!$("#tools").classList.contains("open")));
    $(".skip").addEventListener("click", (event) => {
      event.preventDefault();
      toQuestion();
    });
    $("#model").addEventListener("change", (event) => this.switchModel(event.target.value));
    $("#user-form").addEventListener("submit", (event) => {
      event.preventDefault();
      $("#user").blur();
    });
    $("#user").addEventListener("change", (event) => {
      const user = event.target.value.trim();
      if (user) this.switchUser(user);
      else event.target.value = this.user;
    });
    $("#key").addEventListener("click", () => this.door.open());
    keys({
      help: $("#keys"),
      onFocus: toQuestion,
      onStep: (by) => this.step(by),
      onBack: () => (this.tip.shown ? this.tip.hide() : this.thread?.selected && this.select(null)),
    });
    setInterval(() => {
      this.panels.tick();
      this.chat.tick();
      if (!document.hidden && !this.door.isOpen) this.look();
    }, 1000);
    document.addEventListener("visibilitychange", () =>
      !document.hidden && this.look({ soon: true }));
  }

  #showTools(open) {
    $("#tools").classList.toggle("open", open);
    $("#more").setAttribute("aria-expanded", String(open));
  }
}

function problemOf(error) {
  if (error instanceof Problem) return error;
  return new Problem({ slug: "page", title: "Something went wrong in this page", detail: `${error}` });
}

function mayNotAsk({ scopes }) {
  return new Problem({
    slug: "forbidden",
    status: 403,
    title: "This key may not ask",
    detail: `It has the scope ${scopes.join(", ")}. Enter a key with the scope ask.`,
  });
}

new Page().begin();
