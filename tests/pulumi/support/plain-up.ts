/**
 * The program of plain `pulumi up` (infra/index.ts) with a new state, in a process of its own like Pulumi's: `node plain-up.ts STACK`. It needs
 * no language host and no official plugins.
 */
import { openStack } from "@routeql/cli/stack/workspace";
import program from "@routeql/infra";
import { acquireCli } from "@routeql/cli/pulumi/acquire";

const silent = (): void => undefined;
const stack = await openStack({
  stack: process.argv[2] ?? "local",
  cli: await acquireCli({ say: silent, show: silent, onLine: silent, signal: new AbortController().signal }),
  plugins: "stand-in",
  configuration: {},
  program: async () => ({ ...(await program()) }),
  onLine: silent,
});
for (const operation of ["preview", "up"] as const) {
  await stack[operation]({ color: "never", onOutput: (text) => void process.stdout.write(text) }).then(
    () => console.log(`${operation} succeeded`),
    (error: unknown) => {
      console.log(`${operation} failed: ${String(error)}`);
      process.exitCode = 1;
    },
  );
}
