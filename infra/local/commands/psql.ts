import { openClientPrograms } from "../database/client-programs.ts";
import { exitCodeOf } from "../docker/execute.ts";
import { passOutput } from "../docker/pass-output.ts";
import type { Command } from "../foundation/command.ts";
import { withoutEngine } from "../docker/unreachable.ts";
import { explain, Failure } from "../foundation/failure.ts";
import type { DatabaseRole } from "../stack/outputs.ts";
import { placeOf } from "../kubernetes/place.ts";
import { runPsqlInPod } from "../kubernetes/psql.ts";

const roles: readonly DatabaseRole[] = ["owner", "engine", "sidecar", "loader", "backup"];

function roleOf(text: string): DatabaseRole {
  const role = roles.find((name) => name === text || `routeql_${name}` === text);
  if (role) return role;
  throw new Failure(`There is no role ${text}`, { remedy: `use one of ${roles.join(", ")}.` });
}

/** Runs psql where the database's client is at hand, with this terminal, or with these streams, and gives its exit code. */
async function runPsql(stack: string, role: DatabaseRole, args: readonly string[]): Promise<number> {
  await using programs = await openClientPrograms(stack);
  const { container } = programs;
  const terminal = process.stdin.isTTY && process.stdout.isTTY;
  const execution = await container.exec({
    Cmd: ["psql", ...args],
    // The history would go to a home folder that cannot be written.
    Env: [...programs.environment(role), "PSQL_HISTORY=/dev/null", `TERM=${process.env.TERM ?? "dumb"}`, "PAGER=cat"],
    AttachStdin: true,
    AttachStdout: true,
    AttachStderr: true,
    Tty: terminal,
  });
  const stream = await execution.start({ hijack: true, stdin: true, Tty: terminal });
  const resize = (): void => {
    const { rows: h, columns: w } = process.stdout;
    if (h && w) void execution.resize({ h, w }).catch(() => undefined);
  };
  if (terminal) {
    process.stdin.setRawMode(true);
    process.stdout.on("resize", resize);
    resize();
    stream.on("data", (chunk: Buffer) => process.stdout.write(chunk));
  } else {
    passOutput(stream);
  }
  process.stdin.pipe(stream);
  try {
    await new Promise<void>((resolve, reject) => {
      stream.on("end", resolve);
      stream.on("close", resolve);
      stream.on("error", reject);
    });
  } finally {
    process.stdin.unpipe(stream);
    process.stdin.pause();
    if (terminal) process.stdin.setRawMode(false);
    process.stdout.off("resize", resize);
    stream.destroy();
  }
  return exitCodeOf(execution);
}

export const command: Command = {
  description: {
    name: "psql",
    summary: "Opens psql in the stack's database.",
    operands: "[PSQL-OPTIONS…]",
    options: { role: { type: "string", value: "ROLE", default: "owner", meaning: `the database role: ${roles.join(", ")}` } },
    passesOn: true,
    notes: [
      "Everything else is psql's own: npm run psql -- -c 'select count(*) from view_bgpupdates'",
      "Statements may come from standard input: npm run --silent psql <script.sql",
    ],
  },
  async run(stack, args) {
    try {
      const role = roleOf(args.text("role"));
      const place = await placeOf(stack);
      return await (place ? runPsqlInPod(place, stack, role, args.rest) : runPsql(stack, role, args.rest));
    } catch (error) {
      console.error(`\n${explain(withoutEngine(error))}`);
      return 1;
    }
  },
};
