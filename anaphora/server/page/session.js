// One user with one key: who they are to the service, and which models they may talk to.

import { Problem } from "./api.js";
import { Palette } from "./colors.js";
import { pause } from "./retries.js";

/** It is connected until that works, with longer and longer pauses where waiting can help. What is
 *  under way ends with the session: another user or another key is another session. */
export class Session {
  me = null; // what GET /v1/key said
  problem = null; // why it is not connected
  agents = []; // those that the user may write to
  #active = null;
  #choices = [];
  #models = new Map(); // by id: { model, palette }
  #end = new AbortController();
  #timer = 0;
  #failures = 0;
  #isConnecting = false;

  constructor(api, user, { onConnect, onFailure }) {
    Object.assign(this, { api, user, onConnect, onFailure });
  }

  get isOver() {
    return this.#end.signal.aborted;
  }

  /** Whose conversations these are: no other session may show them. */
  get owner() {
    return JSON.stringify([this.me.id, this.me.tenant, this.user]);
  }

  end() {
    this.#end.abort();
    clearTimeout(this.#timer);
  }

  /** Find out who is asking and which models there are, now rather than after a pause. */
  async connect() {
    if (this.#isConnecting) return;
    this.#isConnecting = true;
    clearTimeout(this.#timer);
    try {
      const { signal } = this.#end;
      this.me = await this.api.whoAmI(signal);
      this.user = this.me.user ?? this.user;
      if (!this.me.scopes.includes("ask")) throw mayNotAsk(this.me);
      this.#active = (await this.api.activeModel(this.user, signal)).model;
      this.#choices = await this.#list(signal);
      this.agents = await this.#listAgents(signal);
      await this.learn(this.#active);
      this.problem = null;
      this.onConnect(this.#active, this.#choices);
    } catch (error) {
      if (!this.isOver) this.#fail(Problem.from(error));
    } finally {
      this.#isConnecting = false;
    }
  }

  /** Get to know a model. A key that may not read gets to know its id alone. */
  async learn(id) {
    if (this.#models.has(id)) return;
    let model = { id, samples: [] };
    try {
      model = await this.api.model(id, this.#end.signal);
    } catch (error) {
      if (error.status !== 403) throw error;
    }
    this.#models.set(id, { model, palette: new Palette(model.elements) });
  }

  /** What is known of a model: { model, palette }. */
  known(id) {
    return this.#models.get(id) ?? { model: { id }, palette: new Palette() };
  }

  /** The agents of the service; none, if the key may not list them. */
  async #listAgents(signal) {
    try {
      return (await this.api.agents(signal)).agents;
    } catch (error) {
      if (error.status !== 403) throw error;
      return [];
    }
  }

  #fail(problem) {
    this.problem = problem;
    this.#failures += 1;
    if (problem.isTransient) {
      this.#timer = setTimeout(() => this.connect(), pause(this.#failures, problem));
    }
    this.onFailure(problem);
  }

  /** The models to choose from; the active one alone, if the key may not list them. */
  async #list(signal) {
    try {
      return (await this.api.models(signal)).models;
    } catch (error) {
      if (error.status !== 403) throw error;
      return [{ id: this.#active, name: this.#active }];
    }
  }
}

function mayNotAsk({ scopes }) {
  return new Problem({
    slug: "forbidden",
    status: 403,
    title: "This key may not ask",
    detail: `It has the scope ${scopes.join(", ")}. Enter a key with the scope ask.`,
  });
}
