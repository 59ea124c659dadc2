import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { Load, LoadResult, Target } from "./http-load.ts";

type Answer = { readonly result: LoadResult } | { readonly failure: string };

/** A process that puts load on servers, one at a time. */
export class LoadGenerator implements AsyncDisposable {
  readonly #child: ChildProcess;

  constructor() {
    this.#child = fork(join(import.meta.dirname, "load-process.ts"), { serialization: "advanced" });
  }

  /** @throws when the target cannot be reached */
  async run(target: Target, load: Load): Promise<LoadResult> {
    this.#child.send({ target, load });
    const [answer] = (await once(this.#child, "message")) as [Answer];
    if ("failure" in answer) throw new Error(`no load on port ${target.port}: ${answer.failure}`);
    return answer.result;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const exited = once(this.#child, "exit");
    this.#child.disconnect();
    await exited;
  }
}
