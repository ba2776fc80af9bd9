// Requests that failed and are made again: how long to wait, and until when they still count.

const FIRST = 1500; // ms
const LONGEST = 30_000;
const NEVER_LONGER = 3_600_000; // whatever the service asks for

/** ms until the next try after `failures` in a row; the service may ask for more. */
export function pause(failures, { wait }) {
  const own = Math.min(LONGEST, FIRST * 2 ** (failures - 1));
  return Math.min(NEVER_LONGER, Math.max(own, wait * 1000));
}

/** Retries of what the user asked for, one for each kind of action. All are dropped as soon as
 *  the user goes on: none may change a conversation that it was not meant for. */
export class Retries {
  #timers = new Map(); // by action

  constructor({ onDrop }) {
    this.onDrop = onDrop;
  }

  /** Run `action.run` after `delay` ms, instead of an earlier retry of the same kind. */
  schedule(action, delay) {
    this.cancel(action.kind);
    const timer = setTimeout(() => {
      this.#timers.delete(action.kind);
      action.run();
    }, delay);
    this.#timers.set(action.kind, { action, timer });
  }

  /** Forget the retry of a kind without telling: something newer takes its place. */
  cancel(kind) {
    clearTimeout(this.#timers.get(kind)?.timer);
    this.#timers.delete(kind);
  }

  /** Drop all that wait, and tell of each. */
  drop() {
    for (const { action } of [...this.#timers.values()]) {
      this.cancel(action.kind);
      this.onDrop(action);
    }
  }
}
