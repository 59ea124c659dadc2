import { expect } from "vitest";
import { keepDrill } from "../../harness/figures/drills.ts";
import type { DeployedStack } from "./deployed-stack.ts";

/** Runs the command that `npm run up` printed to restore the data of the moment before. */
export async function restorePrinted(stack: DeployedStack, output: string): Promise<void> {
  const [, words = ""] = /npm run restore -- --stack \S+ (--(?:replace|to-time) \S+)/.exec(output) ?? [];
  expect(words, output).not.toBe("");
  const started = performance.now();
  const restored = await stack.checkout.command("restore", stack.name, words.split(" "));
  expect(restored.code, restored.output).toBe(0);
  const seconds = ((performance.now() - started) / 1000).toFixed(0);
  keepDrill(
    "Docker",
    words.startsWith("--to-time") ? "roll back from the archive" : "roll back from a dump",
    `${seconds} s`,
  );
}
