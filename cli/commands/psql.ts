import { openClientPrograms } from "../database/client-programs.ts";
import type { Command } from "../foundation/command.ts";
import { Failure } from "@routeql/host/failure";
import { ownOutputs } from "@routeql/host/program-streams";
import type { DatabaseRole } from "../pulumi/outputs.ts";

const roles: readonly DatabaseRole[] = ["owner", "engine", "sidecar", "loader", "backup"];

function roleOf(text: string): DatabaseRole {
  const role = roles.find((name) => name === text || `routeql_${name}` === text);
  if (role) return role;
  throw new Failure(`The database has no role ${text}`, { remedy: `use one of ${roles.join(", ")}.` });
}

/** Runs psql where the database client is installed, with this terminal or with these streams, and returns its exit code. */
async function runPsql(stack: string, role: DatabaseRole, args: readonly string[]): Promise<number> {
  await using programs = await openClientPrograms(stack);
  const { stdin: input, stdout } = process;
  const terminal = input.isTTY && stdout.isTTY ? stdout : undefined;
  // The home folder is read-only, so there is no history. A pager that outlives psql would become a child of Postgres.
  const environment = ["env", "PSQL_HISTORY=/dev/null", `TERM=${process.env.TERM ?? "dumb"}`, "PAGER="];
  if (terminal) input.setRawMode(true);
  try {
    return await programs.as(role)([...environment, "psql", ...args], { ...ownOutputs, input, terminal });
  } finally {
    input.pause();
    if (terminal) input.setRawMode(false);
  }
}

export const command: Command = {
  description: {
    name: "psql",
    summary: "Opens psql in the stack's database.",
    operands: "[PSQL-OPTIONS…]",
    options: {
      role: { type: "string", value: "ROLE", default: "owner", meaning: `the database role: ${roles.join(", ")}` },
    },
    passesOn: true,
    notes: [
      "All other arguments go to psql: npm run psql -- -c 'select count(*) from view_bgpupdates'",
      "Statements can come from standard input: npm run --silent psql <script.sql",
    ],
  },
  // Ctrl-C cancels a statement of psql.
  onInterrupt: "own",
  endsWithOutput: true,
  run: (stack, args) => runPsql(stack, roleOf(args.text("role")), args.rest),
};
