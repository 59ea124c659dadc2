import { type ChildProcess, fork, type ForkOptions } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

type Answer<Result> = { readonly result: Result } | { readonly failure: string };

/** A process that does work of the benchmark, one message at a time. */
export class HelperProcess implements AsyncDisposable {
  readonly #child: ChildProcess;

  /** @param file below bench/; it calls {@link answerMessages} */
  constructor(file: string, options: ForkOptions = {}) {
    this.#child = fork(join(import.meta.dirname, "..", file), { serialization: "advanced", ...options });
  }

  /** @throws when the work fails, or the process ends before its answer */
  async ask<Result>(message: object): Promise<Result> {
    const listening = new AbortController();
    const { signal } = listening;
    this.#child.send(message);
    try {
      const [answer] = (await Promise.race([
        once(this.#child, "message", { signal }),
        once(this.#child, "exit", { signal }).then(([code]) => [{ failure: `the process ended with ${String(code)}` }]),
      ])) as [Answer<Result>];
      if ("failure" in answer) throw new Error(answer.failure);
      return answer.result;
    } finally {
      listening.abort();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const exited = once(this.#child, "exit");
    this.#child.disconnect();
    await exited;
  }
}

/** Answers each message to this process with the result of the work. */
export function answerMessages(work: (message: never) => Promise<unknown>): void {
  process.on("message", (message) => {
    work(message as never).then(
      (result) => process.send?.({ result }),
      (error: unknown) => process.send?.({ failure: String(error) }),
    );
  });
  process.on("disconnect", () => process.exit(0));
}
