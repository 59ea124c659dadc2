import type { CommandOutput } from "@routeql/database-access/opened-database";

const number = new Intl.NumberFormat("en-US");

export type LoadStep =
  | {
      readonly step: "reading";
      readonly read: number;
      readonly refused: number;
      /** 0 to 1, if known. */ readonly share: number | undefined;
    }
  | { readonly step: "sorting"; readonly rows: number }
  | { readonly step: "writing"; readonly rows: number; readonly done: number };

/** Shows the progress of a load and the remaining time. A timer shows it, so that time moves while the server works. */
export class Progress implements Disposable {
  private readonly stream: CommandOutput["stderr"];
  private readonly name: string;
  private readonly started = performance.now();
  private readonly timer: NodeJS.Timeout;
  private current: LoadStep | undefined;
  private stepStarted = this.started;
  private width = 0;

  constructor(stream: CommandOutput["stderr"], name: string) {
    this.stream = stream;
    this.name = name;
    // A log keeps every line; only a terminal replaces it.
    this.timer = setInterval(() => this.print(), stream.isTTY === true ? 200 : 10_000).unref();
  }

  show(step: LoadStep): void {
    if (step.step !== this.current?.step) this.stepStarted = performance.now();
    this.current = step;
  }

  /** Stops, and clears the line of the terminal. */
  [Symbol.dispose](): void {
    clearInterval(this.timer);
    if (this.width > 0) this.stream.write(`\r${" ".repeat(this.width)}\r`);
    this.width = 0;
  }

  private print(): void {
    if (this.current === undefined) return;
    const now = performance.now();
    const text = `${this.name}: ${describeStep(this.current, (now - this.stepStarted) / 1000)}, ${Math.round((now - this.started) / 1000)} s`;
    if (this.stream.isTTY === true) {
      this.stream.write(`\r${text.padEnd(this.width)}`);
      this.width = Math.max(this.width, text.length);
    } else this.stream.write(`${text}\n`);
  }
}

/** @param seconds since the step began */
export function describeStep(current: LoadStep, seconds: number): string {
  if (current.step === "sorting") return `sorting ${number.format(current.rows)} rows by time`;
  if (current.step === "reading") {
    return `${number.format(current.read)} read, ${number.format(current.refused)} refused${remaining(current.share ?? 0, seconds)}`;
  }
  const rate = number.format(Math.round(current.done / Math.max(seconds, 0.001)));
  const done = `${number.format(current.done)} of ${number.format(current.rows)} rows written`;
  return `${done}, ${rate} rows/s${remaining(current.done / Math.max(current.rows, 1), seconds)}`;
}

/** The rest of the step at the speed of the step so far. */
function remaining(share: number, seconds: number): string {
  if (share <= 0) return "";
  // The server still works on the last statement.
  if (share >= 1) return ", finishing";
  return `, ${Math.floor(share * 100)} %, about ${Math.round((seconds * (1 - share)) / share)} s left`;
}
