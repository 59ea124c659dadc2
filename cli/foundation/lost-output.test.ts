import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";

/** Runs a module whose standard output nothing reads, and that writes to it until it ends or for ever. */
async function withoutReader(name: string, times: number): Promise<{ code: number | null; errors: string }> {
  const script = `import { ${name} } from ${JSON.stringify(new URL("lost-output.ts", import.meta.url).href)};
    ${name}();
    for (let left = ${times}; left > 0; left--) {
      process.stdout.write("line\\n");
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    console.error("complete");`;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", script], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  child.stdout.destroy();
  const [errors, [code]] = await Promise.all([text(child.stderr), once(child, "close")]);
  return { code: code as number | null, errors };
}

test("a command that changes a stack continues after its reader has ended", async () => {
  expect(await withoutReader("continueWithoutOutput", 20)).toEqual({ code: 0, errors: "complete\n" });
});

test("a command that prints without an end stops when its reader has ended", async () => {
  expect(await withoutReader("endWithOutput", Number.MAX_SAFE_INTEGER)).toEqual({ code: 0, errors: "" });
});
