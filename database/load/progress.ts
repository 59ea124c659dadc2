import type { CommandOutput } from "../shared/opened-database.ts";
import type { Tally } from "./tally.ts";

const number = new Intl.NumberFormat("en-US");

/** Shows the progress of a load: one updated line on a terminal, a plain line every few seconds elsewhere. */
export class Progress {
  private readonly stream: CommandOutput["stderr"];
  private readonly name: string;
  private readonly started = performance.now();
  private shown = 0;
  private width = 0;
  private phase = "";

  constructor(stream: CommandOutput["stderr"], name: string) {
    this.stream = stream;
    this.name = name;
  }

  show(tally: Tally, phase: "reading" | "writing"): void {
    const now = performance.now();
    const pause = this.stream.isTTY === true ? 200 : 5000;
    if (now - Math.max(this.shown, this.started) < pause && (phase === this.phase || this.shown === 0)) return;
    this.shown = now;
    this.phase = phase;
    const seconds = Math.round((now - this.started) / 1000);
    const what = phase === "reading" ? `${number.format(tally.read)} read` : `${number.format(tally.rows)} rows read, writing`;
    this.print(`${this.name}: ${what}, ${number.format(tally.refused)} refused, ${seconds} s`);
  }

  /** Clears the line of the terminal. */
  end(): void {
    if (this.width > 0) this.stream.write(`\r${" ".repeat(this.width)}\r`);
    this.width = 0;
  }

  private print(text: string): void {
    if (this.stream.isTTY !== true) {
      this.stream.write(`${text}\n`);
      return;
    }
    this.stream.write(`\r${text.padEnd(this.width)}`);
    this.width = Math.max(this.width, text.length);
  }
}
