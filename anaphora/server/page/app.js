// The page: it asks, shows what came of it, and keeps looking at the conversation.

import { Api, Problem } from "./api.js";
import { ChatView, spoken } from "./chat.js";
import { Palette } from "./colors.js";
import { Composer } from "./composer.js";
import { $, h, icon } from "./dom.js";
import { keys } from "./keys.js";
import { tabs, themeSwitch } from "./look.js";
import { menu } from "./menu.js";
import { Notices } from "./notices.js";
import { Panels } from "./panels.js";
import { Thread } from "./thread.js";
import { tips } from "./tips.js";
import { welcomeOf } from "./welcome.js";

const POLL = 3000; // ms between two looks at the conversation
const RETRY = 1500; // ms between two tries to reach a service that is away

class Page {
  api = new Api();
  notices = new Notices($("#notice"));
  threads = new Map();
  models = new Map(); // what GET /v1/model said, by id
  palettes = new Map();
  thread = null;
  user = new URLSearchParams(location.search).get("user") || "user";
  away = false;
  #looking = false;
  #lookAt = 0;
  #resume = null; // what to do once there is a key

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
      onAsk: (text) => this.ask(text),
    });
    this.#furnish();
  }

  /** Find out who is asking, which models there are, and show the active one's conversation. */
  async start() {
    try {
      const me = await this.api.whoAmI();
      if (me.user) this.user = me.user;
      $("#user").value = this.user;
      $("#user").readOnly = Boolean(me.user);
      $("#key").hidden = me.id === null;
      const active = await this.api.activeModel(this.user);
      await this.#listModels(active.model);
      await this.open(active.model);
      this.#back();
    } catch (error) {
      this.trouble(error, () => this.start());
    }
  }

  /** Show the conversation of the user with a model. */
  async open(model) {
    if (!this.models.has(model)) await this.#learn(model);
    if (this.thread) this.thread.draft = this.composer.text;
    const name = JSON.stringify([this.user, model]);
    if (!this.threads.has(name)) this.threads.set(name, new Thread(this.user, model));
    this.thread = this.threads.get(name);
    $("#model").value = model;
    this.composer.text = this.thread.draft;
    this.show();
    this.chat.end();
    await this.look({ soon: true });
  }

  /** Send a question; false if that cannot be done yet. */
  ask(text) {
    const { thread } = this;
    const busy = thread?.turns.some((turn) => turn.state === "sending");
    if (!thread || busy || $("main").hasAttribute("aria-busy")) return false;
    const turn = thread.begin(text);
    this.show();
    this.chat.end();
    this.#send(thread, turn);
    return true;
  }

  again(turn) {
    const { thread } = this;
    if (thread.turns.some((one) => one.state === "sending")) return;
    thread.drop(turn);
    this.ask(turn.text);
    this.composer.focus();
  }

  async #send(thread, turn) {
    try {
      thread.answer(turn, await this.api.ask(turn.text, thread.who));
      this.#back();
    } catch (error) {
      turn.failedAt = Date.now();
      thread.fail(turn, error instanceof Problem ? error : unexpected(error));
      this.trouble(error, () => this.thread === thread && this.again(turn), { quiet: true });
    }
    if (turn.state === "done") await this.#remember(thread, turn);
    if (this.thread !== thread) return;
    this.show({ turn: turn.state === "done" ? turn : null });
    this.chat.end();
    $("#said").textContent = turn.reply ? spoken(turn.reply) : turn.problem.title;
  }

  async #remember(thread, turn) {
    try {
      thread.take(await this.api.conversation(thread.who), { turn });
      thread.unreadable = null;
    } catch (error) {
      thread.unreadable = error;
    }
  }

  /** Look at the conversation: others may have asked in it, and things grow old. */
  async look({ soon = false } = {}) {
    const { thread } = this;
    const busy = thread?.turns.some((turn) => turn.state === "sending");
    if (!thread || this.#looking || busy || (!soon && Date.now() < this.#lookAt)) return;
    this.#looking = true;
    this.#lookAt = Date.now() + (this.away ? RETRY : POLL);
    try {
      const questions = thread.turns.length;
      const conversation = await this.api.conversation(thread.who);
      if (thread.turns.length === questions) {
        const before = JSON.stringify([thread.conversation?.questions, thread.conversation?.flow,
          thread.conversation?.remembered, thread.conversation?.pending]);
        const gone = thread.take(conversation);
        const after = JSON.stringify([conversation.questions, conversation.flow,
          conversation.remembered, conversation.pending]);
        const changed = before !== after || thread.unreadable;
        thread.unreadable = null;
        if (this.thread === thread && changed) this.show({ gone });
      }
      this.#back();
    } catch (error) {
      if (error.wait) this.#lookAt = Date.now() + error.wait * 1000;
      const fresh = thread.unreadable?.slug !== error.slug;
      thread.unreadable = error;
      this.trouble(error, () => this.start(), { quiet: true });
      if (this.thread === thread && fresh) this.show();
    } finally {
      this.#looking = false;
    }
  }

  async forget(what) {
    const { thread } = this;
    try {
      const gone = thread.take(await this.api.forget(thread.who, what), { forgotten: true });
      thread.selected = null;
      if (this.thread === thread) this.show({ gone });
    } catch (error) {
      this.trouble(error, () => this.forget(what));
    }
  }

  async switchModel(model) {
    $("main").setAttribute("aria-busy", "true"); // a question now would go to the old one
    try {
      await this.api.switchModel(this.user, model);
      await this.open(model);
    } catch (error) {
      $("#model").value = this.thread.who.model;
      this.trouble(error, () => this.switchModel(model));
    } finally {
      $("main").removeAttribute("aria-busy");
    }
  }

  async switchUser(user) {
    this.user = user;
    const url = new URL(location.href);
    url.searchParams.set("user", user);
    history.replaceState(null, "", url);
    await this.start();
  }

  /** Look at an earlier answer; null is now. */
  select(turn) {
    this.thread.selected = turn === this.thread.turns.at(-1) ? null : turn;
    this.show({ settled: true });
    if (turn) this.chat.reveal(turn);
  }

  step(by) {
    const done = this.thread?.turns.filter((turn) => turn.state === "done") ?? [];
    const here = done.indexOf(this.thread?.shown);
    if (done[here + by]) this.select(done[here + by]);
  }

  show({ turn = null, gone = [], settled = false } = {}) {
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
    this.panels.show(thread, palette, { turn, gone, settled });
    this.composer.recall(thread.turns.map((one) => one.text));
    const last = thread.turns.findLast((one) => one.state === "done")?.reply;
    $("#question").placeholder = last?.status === "incomplete" && last.prompt
      ? last.prompt
      : "Ask a question";
    $("#send").disabled = thread.turns.some((one) => one.state === "sending");
    this.#offerNext();
  }

  /** Tell of a problem, and do `then` again once what it needs is there. */
  trouble(error, then, { quiet = false } = {}) {
    if (!(error instanceof Problem)) {
      this.notices.trouble("Something went wrong in this page", String(error));
      return;
    }
    if (error.status === 401) {
      this.#askForKey(error, then);
    } else if (error.slug === "offline") {
      this.away = true;
      this.notices.trouble(error.title, `${error.detail} Trying again; what you have typed stays.`);
      if (!quiet) setTimeout(then, RETRY);
    } else if (!quiet) {
      this.notices.trouble(error.title, error.detail);
      setTimeout(() => this.notices.clear(), 2 * POLL);
    }
  }

  #back() {
    if (!this.away) return;
    this.away = false;
    this.notices.tell("The service is back");
  }

  #askForKey(problem, then) {
    this.#resume = then;
    const door = $("#door");
    if (problem && this.api.hasKey) {
      $("#door-why").textContent = problem.detail || "The service does not know this key.";
    }
    $("#key").hidden = false;
    if (!door.open) door.showModal();
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
            this.#offerNext();
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
  async #listModels(active) {
    let models = [{ id: active, name: active }];
    try {
      ({ models } = await this.api.models());
    } catch (error) {
      if (error.status !== 403) throw error;
    }
    const select = $("#model");
    select.replaceChildren(...models.map(({ id, name }) =>
      h("option", { value: id }, name || id)));
    select.disabled = models.length < 2;
  }

  async #learn(id) {
    try {
      const model = await this.api.model(id);
      this.models.set(id, model);
      this.palettes.set(id, new Palette(model.elements));
    } catch (error) {
      if (error.status !== 403) throw error;
      this.models.set(id, { id, samples: [] });
      this.palettes.set(id, new Palette());
    }
  }

  #furnish() {
    $("#choice").append(icon("down"));
    $("#send").append(icon("send"));
    $("#more").append(icon("more"));
    $("#help").append(icon("keys"));
    themeSwitch($("#theme"));
    tabs($("#tabs"));
    const tip = tips($("#tip"));
    menu($("#reset"), $("#reset-menu"), (item) => this.forget({ what: item.dataset.what }));
    $("#help").addEventListener("click", () => $("#keys").showModal());
    $("#more").addEventListener("click", () => {
      const open = $("#tools").classList.toggle("open");
      $("#more").setAttribute("aria-expanded", String(open));
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
    $("#key").addEventListener("click", () => this.#askForKey(null, () => this.start()));
    $("#door-form").addEventListener("submit", (event) => {
      event.preventDefault();
      this.api.key = $("#door-key").value.trim();
      $("#door-key").value = "";
      $("#door").close();
      const then = this.#resume ?? (() => this.start());
      this.#resume = null;
      if (this.thread) this.start().then(() => this.thread && then());
      else this.start();
    });
    keys({
      help: $("#keys"),
      onFocus: () => this.composer.focus(),
      onStep: (by) => this.step(by),
      onBack: () => (tip.shown ? tip.hide() : this.thread?.selected && this.select(null)),
    });
    setInterval(() => {
      this.panels.tick();
      this.chat.tick();
      if (!document.hidden && !$("#door").open) this.look();
    }, 1000);
    document.addEventListener("visibilitychange", () => 
      !document.hidden && this.look({ soon: true }));
  }
}

function unexpected(error) {
  return new Problem({ slug: "page", title: "Something went wrong in this page", detail: `${error}` });
}

new Page().start();
