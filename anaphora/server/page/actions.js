// What the user asks for beside questions: forgetting, another model. Each is done in the
// conversation that it was asked for in, or not at all, and then this is said.

import { Problem } from "./api.js";
import { Retries, pause } from "./retries.js";

const LEFT = "you went on before the service could be reached, so it was not tried again.";

export class Actions {
  #retries = new Retries({ onDrop: (action) => this.#tellUndone(action, LEFT) });

  /** `current()` is the conversation that is shown, `onProblem` is told of what failed. */
  constructor({ notices, current, onDone, onProblem }) {
    Object.assign(this, { notices, current, onDone, onProblem });
  }

  /** Do what was asked for: { kind, title, subject, thread, call }. If the service is away, do it
   *  once it is back, as long as the same conversation is shown and nothing was asked in it since. */
  async run(action, failures = 1) {
    const { kind, title, subject, thread, call } = action;
    const last = thread.turns.at(-1);
    this.#retries.cancel(kind);
    try {
      await call();
      this.notices.clear(kind);
      this.onDone();
    } catch (error) {
      const problem = Problem.from(error);
      this.onProblem(problem, thread);
      if (problem.slug !== "offline") {
        this.#tellUndone(action, `${problem.title}. ${problem.reason}`);
      } else if (this.current() !== thread || thread.turns.at(-1) !== last) {
        this.#tellUndone(action, LEFT);
      } else {
        this.notices.trouble(kind, `${title} yet`, `${subject}: ${problem.title}. Trying again.`);
        const run = action.retry ?? (() => this.run(action, failures + 1));
        this.#retries.schedule({ ...action, run }, pause(failures, problem));
      }
    }
  }

  /** A newer action of this kind takes the place of one that waits. */
  replace(kind) {
    this.#retries.cancel(kind);
  }

  /** The user goes on: nothing that waits is done any more. */
  drop() {
    this.#retries.drop();
  }

  #tellUndone({ kind, title, subject }, why) {
    this.notices.trouble(kind, title, `${subject}: ${why}`, { dismissible: true });
  }
}
