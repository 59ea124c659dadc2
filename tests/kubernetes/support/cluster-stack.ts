import { type TinyStack, tinyStack } from "../../local/support/tiny-stack.ts";
import "./node.ts";

/** A small stack on the node under test; at the end of the test the engine destroys it before its files are deleted. */
export async function clusterStack(): Promise<TinyStack> {
  const tiny = await tinyStack();
  return {
    ...tiny,
    async [Symbol.asyncDispose]() {
      await tiny.stack.cancel().catch(() => undefined);
      await tiny.stack.destroy({ color: "never" });
      await tiny[Symbol.asyncDispose]();
    },
  };
}
