// The service, as the page sees it. Every failure is a Problem, whatever went wrong.

import { eventsOf } from "./events.js";

const STORED_KEY = "anaphora.key";
const PATIENCE = 15_000; // ms; what a bot or an agent does may take longer

/** What the service answered instead (RFC 9457), or why it did not answer (`slug` "offline"). */
export class Problem extends Error {
  constructor({ slug, status = 0, title, detail = "", errors = [], wait = 0 }) {
    super(title);
    Object.assign(this, { slug, status, title, detail, errors, wait });
  }

  /** Any error as a problem: what is none yet is a mistake of this page. */
  static from(error) {
    if (error instanceof Problem) return error;
    return new Problem({ slug: "page", title: "Something went wrong in this page", detail: `${error}` });
  }

  /** Whether the same request may succeed later. */
  get isTransient() {
    return this.slug === "offline" || [408, 409, 425, 429].includes(this.status) || this.status >= 500;
  }

  /** What to show: the mistakes in the request where they are known, else the detail. */
  get reason() {
    const mistakes = this.errors.map(({ where, message }) => (where ? `${where}: ${message}` : message));
    return mistakes.length > 0 ? mistakes.join(" ") : this.detail;
  }
}

/** The service with one key, which never changes: a request is made with the key of its `Api`. */
export class Api {
  #key;

  constructor(key) {
    this.#key = key;
  }

  /** With the key that this tab keeps, if it keeps one. */
  static fromTab() {
    try {
      return new Api(sessionStorage.getItem(STORED_KEY));
    } catch {
      return new Api(null); // storage is switched off
    }
  }

  /** With another key. The tab keeps it for as long as it lives. */
  static withKey(key) {
    try {
      sessionStorage.setItem(STORED_KEY, key);
    } catch {
      // without storage it is asked for again after a reload
    }
    return new Api(key);
  }

  get hasKey() {
    return this.#key !== null;
  }

  ask(text, { user, model }) {
    return this.call("POST", "v1/ask", { body: { text, user, model, explain: true }, patience: null });
  }

  conversation({ user, model }) {
    return this.call("GET", "v1/conversation", { query: { user, model } });
  }

  forget({ user, model }, { what = "all", group = null } = {}) {
    const query = group === null ? { user, model, what } : { user, model, group };
    return this.call("DELETE", "v1/conversation", { query });
  }

  activeModel(user, signal) {
    return this.call("GET", "v1/active-model", { query: { user }, signal });
  }

  switchModel(user, model) {
    return this.call("PUT", "v1/active-model", { body: { user, model } });
  }

  models(signal) {
    return this.call("GET", "v1/models", { signal });
  }

  model(id, signal) {
    return this.call("GET", "v1/model", { query: { id }, signal });
  }

  whoAmI(signal) {
    return this.call("GET", "v1/key", { signal });
  }

  agents(signal) {
    return this.call("GET", "v1/agents", { signal });
  }

  /** Make a request and return its JSON. `patience` is in ms; null is as long as it takes. */
  async call(method, path, { signal = null, patience = PATIENCE, ...rest } = {}) {
    const limits = [signal, patience === null ? null : AbortSignal.timeout(patience)].filter(Boolean);
    let response;
    let text;
    try {
      response = await this.#fetch(method, path, {
        ...rest,
        accept: "application/json",
        signal: limits.length > 0 ? AbortSignal.any(limits) : null,
      });
      text = await response.text();
    } catch (error) {
      if (signal?.aborted) throw error; // nobody waits for it any more
      throw unreachable(error);
    }
    const plain = parsed(text);
    if (!response.ok || plain === null) throw problemOf(response, plain);
    return plain;
  }

  /** Make a request and yield the events of its stream: { event, data }. */
  async *stream(method, path, { signal = null, ...rest } = {}) {
    try {
      const response = await this.#fetch(method, path, { ...rest, accept: "text/event-stream", signal });
      if (!response.ok) throw problemOf(response, parsed(await response.text()));
      yield* eventsOf(response.body);
    } catch (error) {
      if (signal?.aborted || error instanceof Problem) throw error;
      throw unreachable(error);
    }
  }

  #fetch(method, path, { query = {}, body = null, accept, signal }) {
    const url = new URL(path, document.baseURI);
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    const headers = { Accept: accept };
    if (this.#key !== null) headers.Authorization = `Bearer ${this.#key}`;
    if (body !== null) headers["Content-Type"] = "application/json";
    return fetch(url, {
      method,
      headers,
      body: body === null ? null : JSON.stringify(body),
      signal,
      cache: "no-store",
      credentials: "same-origin",
    });
  }
}

/** An error of the service as a problem: a response, or the event that ends a stream. */
export function problemFrom(plain, { status = 0, wait = 0 } = {}) {
  const known = plain !== null && typeof plain === "object" ? plain : {};
  const code = Number(known.status) || status;
  return new Problem({
    slug: String(known.type ?? "").split(":").pop() || `http-${code}`,
    status: code,
    title: known.title ?? `The service answered ${code}`,
    detail: typeof known.detail === "string" ? known.detail : "",
    errors: Array.isArray(known.errors) ? known.errors : [],
    wait,
  });
}

function unreachable(error) {
  const late = error.name === "TimeoutError";
  return new Problem({
    slug: "offline",
    title: late ? "The service takes too long" : "The service cannot be reached",
    detail: late
      ? "It has not answered in time."
      : "It may be restarting, or the network is down.",
  });
}

function problemOf(response, plain) {
  return problemFrom(plain, {
    status: response.status,
    wait: Math.ceil(Number(response.headers.get("Retry-After")) || 0),
  });
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
