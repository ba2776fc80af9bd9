// One agent with one user, as the page asks the service for it.

import { Problem, problemFrom } from "../api.js";

export class AgentApi {
  #api;
  #path;

  constructor(api, agent, user) {
    this.#api = api;
    this.#path = `v1/agents/${encodeURIComponent(agent)}`;
    this.user = user;
  }

  /** Send a message and return the answer. `onStep` gets each step as it happens, `onText` what
   *  the model writes. A message that is sent again with its `id` is answered once. */
  async send(text, { id, onStep, onText, signal }) {
    const body = { user: this.user, text, id };
    let answer = null;
    let problem = null;
    for await (const { event, data } of this.#api.stream("POST", `${this.#path}/messages`, { body, signal })) {
      if (event === "step") onStep(data);
      else if (event === "text") onText(data.text);
      else if (event === "answer") answer = data;
      else if (event === "error") problem = problemFrom(data);
    }
    if (answer) return answer;
    throw problem ?? new Problem({
      slug: "offline",
      title: "The connection has ended",
      detail: "The message is kept. Sent again, it is not answered twice.",
    });
  }

  core() {
    return this.#get("core");
  }

  /** Edit a block; an answer in progress is finished first. */
  edit(label, value) {
    const path = `${this.#path}/core/${encodeURIComponent(label)}`;
    return this.#api.call("PUT", path, { body: { user: this.user, value }, patience: null });
  }

  /** Edit a declared memory: its whole value, null to reset it. */
  editMemory(name, value) {
    const path = `${this.#path}/memories/${encodeURIComponent(name)}`;
    return this.#api.call("PUT", path, { body: { user: this.user, value }, patience: null });
  }

  queue() {
    return this.#get("queue");
  }

  steps(limit) {
    return this.#get("steps", { limit });
  }

  usage() {
    return this.#get("usage");
  }

  recall(q, page) {
    return this.#get("recall", { q, page });
  }

  archive(q, page) {
    return this.#get("archive", { q, page });
  }

  /** The facts around an entity, or the entities; `at` is an ISO time, "" for now. */
  graph({ entity = "", depth = 1, at = "" } = {}) {
    return this.#get("graph", { ...(entity && { entity, depth }), ...(at && { at }) });
  }

  #get(path, query = {}) {
    return this.#api.call("GET", `${this.#path}/${path}`, { query: { user: this.user, ...query } });
  }
}
