import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { mustRun } from "../harness/process.ts";
import { type Account, makeAccount } from "./support/accounts.ts";
import { loadDemo } from "./support/data.ts";
import { specifiedQuery, type View, views } from "./support/fields.ts";
import { stack } from "./support/stack.ts";

/** The whole walk once with curl, like a manual try by an operator: log in, get a token, query, log out. */
describe("Endpoints, walked with curl", () => {
  let account: Account;
  let folder: string;
  let sessionId: string;
  let token: string;

  beforeAll(async () => {
    await loadDemo();
    account = await makeAccount("operator");
    folder = await mkdtemp(join(tmpdir(), "routeql-curl-"));
  });

  afterAll(() => rm(folder, { recursive: true }));

  /** Status and parsed body. Secrets are in a configuration file, because every user of the machine can read an argument list. */
  async function curl(
    path: string,
    method: string,
    headers: Readonly<Record<string, string>>,
    body?: unknown,
  ): Promise<{ status: string; body: unknown }> {
    const output = join(folder, "output.json");
    const lines = [
      `url = "${stack.url}${path}"`,
      `cacert = "${stack.caFile}"`,
      `request = "${method}"`,
      `output = "${output}"`,
      String.raw`write-out = "%{http_code} %{ssl_verify_result}"`,
      "silent",
      "show-error",
      ...Object.entries(headers).map(([name, value]) => `header = "${name}: ${value}"`),
    ];
    if (body !== undefined) {
      await writeFile(join(folder, "body.json"), JSON.stringify(body));
      lines.push(`data = "@${join(folder, "body.json")}"`, 'header = "Content-Type: application/json"');
    }
    const written = await mustRun("curl", ["--config", "-"], { input: lines.join("\n") });
    const [status, verified] = written.split(" ") as [string, string];
    expect(verified).toBe("0");
    return { status, body: JSON.parse(await readFile(output, "utf8")) as unknown };
  }

  test("POST /api/auth/login/credentials", async () => {
    const { status, body } = await curl(
      "/api/auth/login/credentials",
      "POST",
      { "x-service-api-key": stack.serviceApiKey },
      { email: account.email, password: account.password },
    );
    expect(status).toBe("200");
    sessionId = (body as { user: { sessionId: string } }).user.sessionId;
    expect(sessionId).not.toBe("");
  });

  test("GET /api/auth/jwt", async () => {
    const { status, body } = await curl("/api/auth/jwt", "GET", {
      "Content-Type": "application/json",
      "x-service-api-key": stack.serviceApiKey,
      Cookie: `sid=${sessionId}`,
    });
    expect(status).toBe("200");
    token = (body as { access_token: string }).access_token;
  });

  test.each(views)("POST /api/graphql, the specified query on $view", async (view: View) => {
    const { status, body } = await curl(
      "/api/graphql",
      "POST",
      { Authorization: `Bearer ${token}` },
      { query: specifiedQuery(view) },
    );
    expect(status).toBe("200");
    const rows = (body as { data: Record<string, Record<string, unknown>[]> }).data[view.view] as Record<
      string,
      unknown
    >[];
    expect(rows.length).toBeGreaterThan(0);
    expect(Object.keys(rows[0] as object)).toEqual(view.fields);
  });

  test("POST /jwt/auth, right and wrong", async () => {
    const right = await curl("/jwt/auth", "POST", {}, { username: account.email, password: account.password });
    expect(right).toEqual({ status: "200", body: { access_token: expect.any(String) as string } });
    const wrong = await curl("/jwt/auth", "POST", {}, { username: account.email, password: "wrong" });
    expect(wrong).toEqual({ status: "401", body: { error: "wrong credentials" } });
  });

  test("DELETE /api/auth/logout ends the session, and the token still queries", async () => {
    const headers = {
      "Content-Type": "application/json",
      "x-service-api-key": stack.serviceApiKey,
      Cookie: `sid=${sessionId}`,
    };
    expect(await curl("/api/auth/logout", "DELETE", headers)).toEqual({ status: "200", body: {} });
    expect(await curl("/api/auth/jwt", "GET", headers)).toMatchObject({ status: "401", body: { code: "no-session" } });
    const { body } = await curl(
      "/api/graphql",
      "POST",
      { Authorization: `Bearer ${token}` },
      { query: "{ __typename }" },
    );
    expect(body).toEqual({ data: { __typename: "query_root" } });
  });
});
