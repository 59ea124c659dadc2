import { Listr, type ListrTask, PRESET_TIMER } from "listr2";

/** What a phase tells while it runs; `signal` is aborted by Ctrl-C and when a phase beside it has failed. */
export interface PhaseContext {
  /** For the terminal and the log. */
  readonly say: (text: string) => void;
  /** For the terminal only, where it may be replaced at once. */
  readonly show: (text: string) => void;
  readonly signal: AbortSignal;
}

/** One piece of work; its result, if it gives one, is shown behind its title. */
export interface Phase {
  readonly title: string;
  readonly work: (context: PhaseContext) => Promise<string | void>;
}

/** Phases one after the other; those in a list of lists run side by side. */
export type Plan = readonly (Phase | readonly (readonly Phase[])[])[];

export interface PhaseTime {
  readonly title: string;
  readonly seconds: number;
}

export interface PhaseOptions {
  readonly signal: AbortSignal;
  /** Where lines go instead of the terminal. */
  readonly log?: (line: string) => void;
  /** Every line, also those that the terminal shows for a moment only. */
  readonly record: (line: string) => void;
}

const lineEveryMilliseconds = 10_000;

/** Where every text is a line of its own, one now and then is enough. */
function throttled(show: (text: string) => void): (text: string) => void {
  let shownAt = 0;
  return (text) => {
    if (Date.now() - shownAt < lineEveryMilliseconds) return;
    shownAt = Date.now();
    show(text);
  };
}

/**
 * Runs the plan and gives the time of every phase. At a terminal phases show their progress in place; elsewhere each begins and
 * ends with a line.
 * @throws what the first failing phase throws; phases beside it are aborted and waited for
 */
export async function runPhases(plan: Plan, { signal, log, record }: PhaseOptions): Promise<readonly PhaseTime[]> {
  const times: PhaseTime[] = [];
  const failed = new AbortController();
  const context = AbortSignal.any([signal, failed.signal]);
  const pending: Promise<unknown>[] = [];
  let firstError: unknown;

  const inPlace = !log && process.stdout.isTTY;
  const toTask = (phase: Phase): ListrTask => ({
    title: phase.title,
    task: async (_context, task) => {
      const started = Date.now();
      record(`[${phase.title}] begins`);
      log?.(`${phase.title}…`);
      // Line by line, what phases beside each other tell has to say whose it is.
      const show = inPlace ? (text: string) => void (task.output = text) : throttled((text) => void (task.output = `${phase.title}: ${text}`));
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
        // The caller says why. listr2 would, too, and again for each list that this phase is in.
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
      // Ctrl-C is handled by the caller: the work has to end in order.
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
