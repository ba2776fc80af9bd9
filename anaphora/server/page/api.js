// The service, as the page sees it. Every failure is a Problem, whatever went wrong.

const STORED_KEY = "anaphora.key";
const PATIENCE = 15_000; // ms; an ask may take as long as its handler does

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
    return this.#call("POST", "v1/ask", { body: { text, user, model, explain: true } });
  }

  conversation({ user, model }) {
    return this.#call("GET", "v1/conversation", { query: { user, model } });
  }

  forget({ user, model }, { what = "all", group = null } = {}) {
    const query = group === null ? { user, model, what } : { user, model, group };
    return this.#call("DELETE", "v1/conversation", { query });
  }

  activeModel(user, signal) {
    return this.#call("GET", "v1/active-model", { query: { user }, signal });
  }

  switchModel(user, model) {
    return this.#call("PUT", "v1/active-model", { body: { user, model } });
  }

  models(signal) {
    return this.#call("GET", "v1/models", { signal });
  }

  model(id, signal) {
    return this.#call("GET", "v1/model", { query: { id }, signal });
  }

  whoAmI(signal) {
    return this.#call("GET", "v1/key", { signal });
  }

  async #call(method, path, { query = {}, body = null, signal = null } = {}) {
    const url = new URL(path, document.baseURI);
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    const headers = { Accept: "application/json" };
    if (this.#key !== null) headers.Authorization = `Bearer ${this.#key}`;
    if (body !== null) headers["Content-Type"] = "application/json";
    const patience = path === "v1/ask" ? null : AbortSignal.timeout(PATIENCE);
    const limits = [signal, patience].filter(Boolean);
    let response;
    let text;
    try {
      response = await fetch(url, {
        method,
        headers,
        body: body === null ? null : JSON.stringify(body),
        signal: limits.length > 0 ? AbortSignal.any(limits) : null,
        cache: "no-store",
        credentials: "same-origin",
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
  const known = plain !== null && typeof plain === "object" ? plain : {};
  return new Problem({
    slug: String(known.type ?? "").split(":").pop() || `http-${response.status}`,
    status: response.status,
    title: known.title ?? `The service answered ${response.status}`,
    detail: typeof known.detail === "string" ? known.detail : "",
    errors: Array.isArray(known.errors) ? known.errors : [],
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
