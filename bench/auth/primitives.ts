import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { onContenderCore } from "../measure/server-process.ts";
import type { PrimitiveResult, PrimitiveWork } from "./primitive-process.ts";

/** See primitive-process.ts; it runs on the sidecar's core. */
export class Primitives implements AsyncDisposable {
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess) {
    this.#child = child;
  }

  static async start(): Promise<Primitives> {
    const [execPath, ...words] = onContenderCore;
    const child = fork(join(import.meta.dirname, "primitive-process.ts"), {
      execPath,
      execArgv: [...words, process.execPath],
      env: { PATH: process.env["PATH"], NODE_ENV: "production" },
    });
    await once(child, "message");
    return new Primitives(child);
  }

  async run(work: PrimitiveWork): Promise<PrimitiveResult> {
    this.#child.send(work);
    const [result] = (await once(this.#child, "message")) as [PrimitiveResult];
    return result;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const exited = once(this.#child, "exit");
    this.#child.disconnect();
    await exited;
  }
}
