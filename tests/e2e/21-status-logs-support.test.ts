import { randomBytes } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterEach, describe, expect, test } from "vitest";
import { mustRun, run } from "../harness/process.ts";
import { Scanner, shortest } from "../secrets/scanner.ts";
import { makeAccount } from "./support/clients/accounts.ts";
import { command } from "./support/commands.ts";
import { containerOf, containers } from "./support/stack/docker.ts";
import { hasFront } from "./support/stack/engine-of-the-run.ts";
import { post } from "./support/clients/graphql.ts";
import { call } from "./support/clients/http.ts";
import { session, tokenOfSession } from "./support/clients/sessions.ts";
import { type NamedSecret, secretsOfContainer } from "./support/stack/stack-secrets.ts";
import { stack } from "./support/stack/stack.ts";

interface Report {
  readonly fine: boolean;
  readonly problems: readonly { readonly subject: string; readonly reason: string; readonly next: string }[];
  readonly services: readonly { readonly service: string; readonly health?: string }[];
  readonly metadataConsistent: boolean;
  readonly database: { readonly migrations: readonly string[]; readonly keys: readonly { readonly state: string }[] };
  readonly expectedMigrations: readonly string[];
}

const repository = resolve(import.meta.dirname, "../..");

async function status(): Promise<{ readonly code: number; readonly report: Report }> {
  const { code, stdout, stderr } = await run(
    process.execPath,
    ["cli/main.ts", "status", "--stack", stack.name, "--json"],
    { cwd: repository, timeout: 120_000 },
  );
  expect(stdout, stderr).toMatch(/^\{/);
  return { code, report: JSON.parse(stdout) as Report };
}

async function linesOf(...args: readonly string[]): Promise<Record<string, unknown>[]> {
  const lines = (await command("logs", "--json", ...args)).trim().split("\n");
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line) as Record<string, unknown>);
}

describe("npm run status", () => {
  let down: string | undefined;

  afterEach(async () => {
    if (down !== undefined) await mustRun("docker", ["start", down]);
    down = undefined;
    await expect.poll(async () => (await status()).report.problems, { timeout: 90_000, interval: 1000 }).toEqual([]);
  });

  test("reports a working stack with exit code 0", async () => {
    const { code, report } = await status();
    expect(report.problems).toEqual([]);
    expect(code).toBe(0);
    expect(report.services.map(({ service }) => service)).toEqual(
      expect.arrayContaining(["database", "migrate", "sessions", "auth-sidecar", "engine", "gateway"]),
    );
    expect(report.metadataConsistent).toBe(true);
    expect(report.database.migrations).toEqual(report.expectedMigrations);
    expect(report.database.keys.map(({ state }) => state)).toContain("signing");
  });

  test.each(["database", "gateway"])("names the stopped service %s first", async (service) => {
    down = containerOf(service);
    await mustRun("docker", ["kill", down]);
    const { code, report } = await status();
    expect(code).toBe(1);
    expect(report.problems[0]).toEqual({
      subject: service,
      reason: expect.stringMatching(/^stopped with exit code 137/) as string,
      next: `npm run logs -- --stack ${stack.name} --tail 50 ${service}, then npm run up -- --stack ${stack.name}`,
    });
  });
});

/** The service that authenticates a query. */
const engine = hasFront ? "front" : "engine";
/** Without Hasura's lines, which have another form. */
const ofThisKit = (lines: Awaited<ReturnType<typeof linesOf>>) =>
  lines.filter(({ service }) => !hasFront || service !== "engine");

describe("npm run logs", () => {
  test("finds one request at the gateway, the engine and the sidecar by its id", async () => {
    const { sessionId } = await session(await makeAccount("analyst"));
    const token = await tokenOfSession(sessionId);
    const failed = await post("{ nothing }", { token });
    expect(failed.headers.get("x-graphql-errors")).toBeNull();
    const rejected = await post("{ __typename }", { token: `${token.slice(0, -4)}AAAA` });
    const login = await call("/api/auth/jwt", { headers: { "x-service-api-key": stack.serviceApiKey } });
    const id = (reply: { readonly headers: { get: (name: string) => string | null } }): string =>
      reply.headers.get("x-request-id") ?? "";

    // Each service logs at the end of its answer, so either line may be first.
    const query = await linesOf("--request-id", id(failed));
    expect(query.map(({ service }) => service)).toContain("engine");
    expect(
      ofThisKit(query).toSorted((one, other) => String(one["service"]).localeCompare(String(other["service"]))),
    ).toMatchObject([
      { service: engine, requestId: id(failed), role: "analyst", status: 200, errors: ["validation-failed"] },
      { service: "gateway", requestId: id(failed), status: 200, graphql_errors: "validation-failed" },
    ]);
    expect(await linesOf("--request-id", id(rejected), "--since", "10m")).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ service: engine, code: "invalid-jwt", message: "credentials rejected" }) as unknown,
        expect.objectContaining({ service: "gateway", graphql_errors: "invalid-jwt" }) as unknown,
      ]),
    );
    const services = (await linesOf("--request-id", id(login))).map(
      ({ service, status: code }) => `${service as string} ${code as number}`,
    );
    expect(services.toSorted()).toEqual(["auth-sidecar 401", "gateway 401"]);
  });
});

test("the lines of a request at three services name the trace of its client", async () => {
  const trace = randomBytes(16).toString("hex");
  const traceparent = `00-${trace}-b7ad6b7169203331-01`;
  await post("{ __typename }", { headers: { "x-engine-access-key": stack.engineAccessKey, traceparent } });
  await call("/api/auth/jwt", { headers: { "x-service-api-key": stack.serviceApiKey, traceparent } });
  const lines = ofThisKit(await linesOf("--request-id", trace));
  expect(
    lines
      .map(({ service, traceId }) => ({ service, traceId }))
      .toSorted((one, other) => String(one.service).localeCompare(String(other.service))),
  ).toEqual(["auth-sidecar", engine, "gateway", "gateway"].map((service) => ({ service, traceId: trace })));
});

describe("npm run support", () => {
  test("writes a bundle without secrets of the stack", async () => {
    const account = await makeAccount("analyst");
    const { sessionId } = await session(account);
    const token = await tokenOfSession(sessionId);
    await post("{ __typename }", { token });
    const folder = await mkdtemp(join(tmpdir(), "routeql-support-"));
    try {
      const file = join(folder, "bundle.tar.gz");
      await command("support", "--to", file);
      const bundle = gunzipSync(await readFile(file));
      for (const name of [
        "status.json",
        "versions.json",
        "settings.json",
        "resources.json",
        `logs/${containerOf("gateway")}.log`,
      ])
        expect(bundle.includes(name), name).toBe(true);
      expect(bundle.includes(".error.txt")).toBe(false);
      const secrets: NamedSecret[] = [
        ["engineAccessKey", stack.engineAccessKey],
        ["serviceApiKey", stack.serviceApiKey],
        ["adminPassword", stack.adminPassword],
        ["password", account.password],
        ["e-mail address", account.email],
        ["session id", sessionId],
        ["token", token],
        ["signature", token.split(".")[2]!],
      ];
      for (const { id, service } of await containers()) secrets.push(...(await secretsOfContainer(id, service)));
      const searched = secrets
        .filter(([, value]) => value.length >= shortest)
        .map(([name, value]) => ({ name, value }));
      expect(searched.length).toBeGreaterThan(12);
      expect([...new Scanner(searched).inBytes(bundle)]).toEqual([]);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
