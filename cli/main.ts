// Dispatches `npm run <command>`; the bootstrap has installed Node 24 and the dependencies.
import { checkStackName, type Command, helpText, parseArguments } from "./foundation/command.ts";
import { explain, Failure } from "@routeql/host/failure";

const commands: Record<string, () => Promise<{ command: Command }>> = {
  up: () => import("./commands/up.ts"),
  preview: () => import("./commands/preview.ts"),
  render: () => import("./commands/render.ts"),
  down: () => import("./commands/down.ts"),
  status: () => import("./commands/status.ts"),
  logs: () => import("./commands/logs.ts"),
  support: () => import("./commands/support.ts"),
  alerts: () => import("./commands/alerts.ts"),
  psql: () => import("./commands/psql.ts"),
  load: async () => ({ command: (await import("./commands/database.ts")).load }),
  feed: async () => ({ command: (await import("./commands/database.ts")).feed }),
  detect: async () => ({ command: (await import("./commands/database.ts")).detect }),
  query: () => import("./commands/query.ts"),
  token: () => import("./commands/token.ts"),
  schema: () => import("./commands/schema.ts"),
  backup: () => import("./commands/backup.ts"),
  restore: () => import("./commands/restore.ts"),
  rotate: () => import("./commands/rotate.ts"),
  vrps: async () => ({ command: (await import("./commands/database.ts")).vrps }),
  fill: async () => ({ command: (await import("./commands/database.ts")).fill }),
  prune: async () => ({ command: (await import("./commands/database.ts")).prune }),
  users: async () => ({ command: (await import("./commands/administration.ts")).users }),
  keys: async () => ({ command: (await import("./commands/administration.ts")).keys }),
};

async function overview(): Promise<string> {
  const all = await Promise.all(Object.values(commands).map((load) => load()));
  const rows = all.map(
    ({ command: { description } }) => `  npm run ${description.name.padEnd(10)}${description.summary}`,
  );
  return [
    "RouteQL on this machine:",
    "",
    ...rows,
    "",
    "Each command has --help, after `--`: npm run up -- --help",
  ].join("\n");
}

async function main([name = "", ...args]: readonly string[]): Promise<number> {
  if (name === "" || name === "--help" || name === "-h" || name === "help") {
    console.log(await overview());
    return 0;
  }
  const load = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!load)
    throw new Failure(`unknown command "${name}"`, { remedy: `use one of ${Object.keys(commands).join(", ")}.` });
  const { command } = await load();
  const parsed = parseArguments(command.description, args);
  if (parsed.help) {
    if (command.help) await command.help();
    else console.log(helpText(command.description));
    return 0;
  }
  const { runCommand } = await import("./commands/run-command.ts");
  return runCommand(command, checkStackName(parsed.text("stack")), parsed);
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  const { explainable } = await import("./commands/run-command.ts");
  console.error(`\n${explain(explainable(error))}`);
  process.exitCode = 1;
}
