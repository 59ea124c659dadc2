import { type Cancellation, LightCancellation } from "../cancellation.ts";
import type { Engine } from "../engine.ts";
import type { Observation } from "../notices/observation.ts";
import type { Budget } from "./budget.ts";

/** Of all batches of a run; each sets it. */
export interface Outcome {
  /** An answer differed from the one before. */
  changed: boolean;
  /** Another run is due after the interval: a failure, a reader that was not ready, more rows of a stream. */
  unfinished: boolean;
}

export interface Pace {
  readonly engine: Pick<Engine, "observe">;
  /** Milliseconds between the end of a run and the next, while changes are not noticed. */
  readonly interval: number;
  /** The same while they are noticed and none is. */
  readonly net: number;
  readonly budget: Budget;
  /** A run without notice found a change that a notice should have announced. */
  readonly onMissed: () => void;
}

/** Milliseconds in which a notice may arrive after a run that found its change. */
const latestNotice = 2_000;

/** Weight of the newest run in the expected cost. */
const newest = 0.3;

/**
 * Runs the statements of a cohort until it is stopped: at fixed intervals, or, while changes are noticed, at once after each. The first runs
 * before their time until the budget is spent; then the cohort waits, at most as long as with fixed intervals.
 */
export class Rounds {
  readonly #pace: Pace;
  readonly #run: () => Promise<Outcome>;
  readonly #cancellation = new LightCancellation();
  readonly #observation: Observation;
  #timer: NodeJS.Timeout | undefined;
  #dueAt = Infinity;
  #isNoticed = false;
  #isMarked = false;
  #isRunning = false;
  /** A run is due after the interval. */
  #isOwed = false;
  #lastEnd = performance.now();
  #lastMark = -Infinity;
  /** Expected cost of a run in milliseconds of connections. */
  #cost = 0;
  #spent = 0;

  constructor(pace: Pace, cohortKey: string, run: () => Promise<Outcome>) {
    this.#pace = pace;
    this.#run = run;
    this.#plan();
    this.#observation = pace.engine.observe(cohortKey, {
      changed: () => this.#mark(),
      polled: (reason) => this.#notice(reason === undefined),
    });
  }

  /** Aborts when the last listener has left: running statements are then useless and would delay others. */
  get signal(): Cancellation {
    return this.#cancellation;
  }

  get isStopped(): boolean {
    return this.#cancellation.aborted;
  }

  stop(): void {
    this.#observation.stop();
    clearTimeout(this.#timer);
    this.#cancellation.abort(new Error("the last listener has left"));
  }

  /** A run that was not of these rounds is unfinished. */
  again(): void {
    this.#isOwed = true;
    this.#planAt(this.#lastEnd + this.#pace.interval);
  }

  /** Connection time of a run, in milliseconds. */
  took(milliseconds: number): void {
    this.#spent += milliseconds;
  }

  /** Something that the statements read may have changed. */
  #mark(): void {
    this.#lastMark = performance.now();
    if (!this.#isNoticed) return;
    this.#isMarked = true;
    this.#plan();
  }

  /** Whether changes are noticed from now on. They may have been missed before. */
  #notice(isNoticed: boolean): void {
    if (!isNoticed && !this.#isNoticed) return;
    this.#isNoticed = isNoticed;
    this.#lastMark = performance.now();
    this.#isMarked = true;
    this.#dueAt = Infinity;
    this.#plan();
  }

  #plan(): void {
    if (this.#isRunning || this.isStopped) return;
    const regular = this.#lastEnd + this.#pace.interval;
    if (this.#isMarked) this.#planAt(Math.min(regular, performance.now() + this.#pace.budget.wait(this.#cost)));
    else this.#planAt(this.#isNoticed ? this.#lastEnd + this.#pace.net : regular);
  }

  /** The earliest planned time counts. */
  #planAt(time: number): void {
    if (this.#isRunning || this.isStopped || time >= this.#dueAt) return;
    this.#dueAt = time;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#round(), Math.max(0, time - performance.now()));
  }

  async #round(): Promise<void> {
    const start = performance.now();
    const wasMarked = this.#isMarked;
    const isEarly = wasMarked && start < this.#lastEnd + this.#pace.interval;
    // The budget may have been spent by others since this run was planned.
    if (isEarly && this.#pace.budget.wait(this.#cost) > 0) {
      this.#dueAt = Infinity;
      this.#plan();
      return;
    }
    const wasNoticed = this.#isNoticed;
    this.#isMarked = false;
    this.#isOwed = false;
    this.#isRunning = true;
    this.#dueAt = Infinity;
    this.#spent = 0;
    if (isEarly) this.#pace.budget.spend(this.#cost);
    const { changed, unfinished } = await this.#run();
    this.#isRunning = false;
    this.#lastEnd = performance.now();
    if (isEarly) this.#pace.budget.spend(this.#spent - this.#cost);
    this.#cost += newest * (this.#spent - this.#cost);
    if (this.isStopped) return;
    if (changed && wasNoticed && !wasMarked) this.#suspect(start);
    this.#plan();
    if (unfinished || this.#isOwed) this.again();
  }

  /** A change committed just before its run is noticed only afterwards. */
  #suspect(start: number): void {
    setTimeout(() => {
      if (this.#isNoticed && !this.isStopped && this.#lastMark < start) this.#pace.onMissed();
    }, latestNotice).unref();
  }
}
