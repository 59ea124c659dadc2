import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import { openDatabase } from "@routeql/cli/database/open-database";
import { describeStack } from "../e2e/support/stack/describe-stack.ts";
import { run } from "../harness/process.ts";
import type { SuiteResult, TestRecord } from "../runner/results.ts";
import { repository } from "../harness/repository.ts";

interface Report {
  readonly findings: readonly {
    readonly severity: string;
    readonly rule: string;
    readonly message: string;
    readonly place?: string;
  }[];
  readonly checks: Readonly<Record<string, number>>;
}

/** Compares the rows that the stack's engine serves to each role with the rows that the metadata allows, through the gateway. */
export async function verifyPermissions(stack: string, accessFile: string): Promise<SuiteResult> {
  const started = performance.now();
  const { url, engineAccessKey, caFile } = await describeStack(accessFile);
  await using resources = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), "routeql-verify-"));
  resources.defer(() => rm(folder, { recursive: true }));
  const secret = join(folder, "master-key");
  await writeFile(secret, engineAccessKey, { mode: 0o600 });
  const relay = await databaseRelay(stack);
  resources.defer(() => relay.close());
  const { stdout, stderr } = await run(
    process.execPath,
    [
      join(repository, "hasura-checks/bin/hasura-checks.js"),
      "permissions",
      "--json",
      `--metadata=${join(repository, "hasura-metadata")}`,
      `--database=${relay.address}`,
      `--endpoint=${url}/api/graphql`,
      "--header=X-Engine-Access-Key",
      `--admin-secret-file=${secret}`,
      `--ca=${caFile}`,
    ],
    { env: { ...process.env, PGPASSWORD: relay.password }, cwd: repository },
  );
  return { suite: "permissions", seconds: (performance.now() - started) / 1000, tests: recordsOf(stdout, stderr) };
}

/** One record for each kind of check, and one for each finding that is an error. */
function recordsOf(stdout: string, stderr: string): readonly TestRecord[] {
  let report: Report;
  try {
    report = JSON.parse(stdout) as Report;
  } catch {
    return [{ title: "hasura-checks permissions", state: "failed", reason: stderr.trim() || stdout.trim() }];
  }
  const failed = report.findings.filter(({ severity }) => severity === "error");
  return [
    ...failed.map(({ rule, message, place }): TestRecord => ({
      title: `hasura-checks permissions > ${rule}`,
      state: "failed",
      reason: message,
      place,
    })),
    ...Object.entries(report.checks).map(([kind, count]): TestRecord => ({
      title: `hasura-checks permissions > ${kind}: ${count} checks`,
      state: "passed",
    })),
  ];
}

/** The stack's database on a loopback port: each connection goes through the tunnel of the kit's commands. */
async function databaseRelay(
  stack: string,
): Promise<{ readonly address: string; readonly password: string; readonly close: () => void }> {
  const first = await openDatabase(stack, "owner");
  await first.close();
  const { user = "", password, database = "" } = first.config;
  const server = createServer((client) => {
    client.on("error", () => client.destroy());
    joinTunnel(stack, client).catch(() => client.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    address: `postgres://${user}@127.0.0.1:${port}/${database}`,
    password: String(password),
    close: () => void server.close(),
  };
}

async function joinTunnel(stack: string, client: Socket): Promise<void> {
  const opened = await openDatabase(stack, "owner");
  const { stream } = opened.config;
  const tunnel = (typeof stream === "function" ? stream() : stream) as Duplex;
  tunnel.on("error", () => client.destroy());
  client.pipe(tunnel).pipe(client);
  client.once("close", () => void opened.close());
}
