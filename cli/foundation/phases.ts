import { Listr, type ListrTask, PRESET_TIMER } from "listr2";

/** Output of a running phase. `signal` is aborted by Ctrl-C and by the failure of a parallel phase. */
export interface PhaseContext {
  /** Prints to the terminal and the log. */
  readonly say: (text: string) => void;
  /** Prints to the terminal only; the next text may replace it. */
  readonly show: (text: string) => void;
  readonly signal: AbortSignal;
}

/** One piece of work. Its result, if any, is shown after its title. */
export interface Phase {
  readonly title: string;
  readonly work: (context: PhaseContext) => Promise<string | void>;
}

/** A value that exists once its phase has ended. */
export interface Ready<Result> {
  /** @throws Error before the end of the phase: the plan has a wrong order */
  readonly result: Result;
}

/** A phase whose result later phases take. @param work its result, and the text after its title */
export function phase<Result>(
  title: string,
  work: (context: PhaseContext) => Promise<readonly [result: Result, shown: string]>,
): Phase & Ready<Result> {
  let ended: { readonly result: Result } | undefined;
  return {
    title,
    async work(context) {
      const [result, shown] = await work(context);
      ended = { result };
      return shown;
    },
    get result() {
      if (ended === undefined) throw new Error(`the phase ${title} has no result yet`);
      return ended.result;
    },
  };
}

/** Phases in sequence; the phases of a nested list run in parallel. */
export type Plan = readonly (Phase | readonly (readonly Phase[])[])[];

export interface PhaseTime {
  readonly title: string;
  readonly seconds: number;
}

export interface PhaseOptions {
  readonly signal: AbortSignal;
  /** Receives the lines instead of the terminal. */
  readonly log?: (line: string) => void;
  /** Receives every line, including temporary progress. */
  readonly record: (line: string) => void;
}

/** A reason that is known within three seconds is on the screen within ten. */
const lineEveryMilliseconds = 5_000;

/** Limits progress output where each text becomes a line of its own. */
function throttled(show: (text: string) => void): (text: string) => void {
  let shownAt = 0;
  return (text) => {
    if (Date.now() - shownAt < lineEveryMilliseconds) return;
    shownAt = Date.now();
    show(text);
  };
}

/** Runs the plan; shows progress in place on a terminal, else as lines. @returns durations @throws the error of the first failing phase */
export async function runPhases(plan: Plan, { signal, log, record }: PhaseOptions): Promise<readonly PhaseTime[]> {
  const times: PhaseTime[] = [];
  const failed = new AbortController();
  const context = AbortSignal.any([signal, failed.signal]);
  const pending: Promise<unknown>[] = [];
  let firstError: unknown;

  // A terminal in an editor cannot move its cursor.
  const inPlace = !log && process.stdout.isTTY && process.env["TERM"] !== "dumb";
  const toTask = (phase: Phase): ListrTask => ({
    title: phase.title,
    task: async (_context, task) => {
      // A parallel phase failed while the previous phase of this lane ended. The run may be over, and its log closed.
      if (failed.signal.aborted) throw new Error("", { cause: firstError });
      const started = Date.now();
      record(`[${phase.title}] begins`);
      log?.(`${phase.title}…`);
      // Lines of parallel phases need the name of their phase.
      const show = inPlace
        ? (text: string) => void (task.output = text)
        : throttled((text) => void (task.output = `${phase.title}: ${text}`));
      let last = "";
      const say = (text: string): void => {
        if (text === last) return;
        last = text;
        record(`[${phase.title}] ${text}`);
        show(text);
      };
      const work = phase.work({ say, show, signal: context });
      pending.push(work.catch(() => undefined));
      try {
        const result = await work;
        const seconds = (Date.now() - started) / 1000;
        times.push({ title: phase.title, seconds });
        if (result) task.title = `${phase.title}: ${result}`;
        record(`[${phase.title}] done in ${seconds.toFixed(1)} s${result ? `: ${result}` : ""}`);
        log?.(`${phase.title}${result ? `: ${result}` : ""} [${seconds.toFixed(1)} s]`);
      } catch (error) {
        firstError ??= error;
        failed.abort(error);
        if (!inPlace) task.output = `${phase.title}: failed`;
        // The caller prints the reason. listr2 would print it again for each list that contains this phase.
        throw new Error("", { cause: error });
      }
    },
  });

  const tasks = plan.flatMap((entry): ListrTask[] => {
    if (!Array.isArray(entry)) return [toTask(entry as Phase)];
    const lanes = entry as readonly (readonly Phase[])[];
    if (lanes.length === 1) return lanes[0]!.map(toTask);
    return [
      {
        title: lanes.map((lane) => lane.map(({ title }) => title).join(", ")).join(" | "),
        task: (_context, task) =>
          task.newListr(
            lanes.map((lane) =>
              lane.length === 1
                ? toTask(lane[0]!)
                : {
                    title: lane.map(({ title }) => title).join(", "),
                    task: (_inner, inner) => inner.newListr(lane.map(toTask), { concurrent: false }),
                  },
            ),
            { concurrent: true },
          ),
      },
    ];
  });
  const renderer = log ? "silent" : inPlace ? "default" : "simple";
  try {
    await new Listr(tasks, {
      renderer,
      // The caller handles Ctrl-C: the work must stop cleanly.
      registerSignalListeners: false,
      rendererOptions: { timer: PRESET_TIMER, collapseSubtasks: false, collapseErrors: false, showErrorMessage: false },
    } as ConstructorParameters<typeof Listr>[1]).run();
  } catch (error) {
    await Promise.all(pending);
    signal.throwIfAborted();
    throw firstError ?? error;
  }
  return times;
}
