import { beforeAll, describe, expect, test } from "vitest";
import { mustRun, run } from "../harness/process.ts";
import { ignoredLimits } from "../harness/require-limits.ts";
import { type Account, makeAccount } from "./support/accounts.ts";
import { type ContainerSummary, containers } from "./support/docker.ts";
import { post, refusal } from "./support/graphql.ts";
import { login, logout, session, singleStep, tokenOfSession } from "./support/sessions.ts";
import { type NamedSecret, secretsOfContainer } from "./support/stack-secrets.ts";
import { subscribeLegacy, subscribeModern } from "./support/sockets.ts";
import { stack } from "./support/stack.ts";

/** All secrets that the stack or this file knows, by printable names. */
type Secrets = ReadonlyMap<string, string>;

describe("No secret anywhere", () => {
  let secrets: Secrets;
  let all: ContainerSummary[];

  beforeAll(async () => {
    all = await containers();
    secrets = new Map([...(await secretsOfTheStack(all)), ...(await secretsOfUse())]);
  });

  test("the list of secrets is complete: keys, passwords, the TLS key, tokens, sessions", () => {
    const names = [...secrets.keys()].join(" ");
    for (const part of [
      "engineAccessKey",
      "serviceApiKey",
      "adminPassword",
      "migrate",
      "database",
      "sessions",
      "auth-sidecar",
      "engine",
      "gateway",
      "token",
      "session id",
      "password",
    ]) {
      expect(names).toContain(part);
    }
    for (const [name, value] of secrets) expect(value.length, name).toBeGreaterThanOrEqual(12);
  });

  test("none is in the log of any container", async () => {
    for (const { id, name } of all) {
      const { stdout, stderr } = await run("docker", ["logs", id]);
      expectNone(secrets, `${stdout}\n${stderr}`, `log of ${name}`);
    }
    expect(all.length).toBeGreaterThanOrEqual(6);
  });

  test("docker inspect shows none of them", async () => {
    for (const { id, name } of all)
      expectNone(secrets, await mustRun("docker", ["inspect", id]), `inspection of ${name}`);
  });

  test("none is in an image's configuration or history", async () => {
    for (const { id, name } of all) {
      const imageId = (await mustRun("docker", ["inspect", "--format", "{{.Image}}", id])).trim();
      expectNone(secrets, await mustRun("docker", ["image", "inspect", imageId]), `image of ${name}`);
      expectNone(
        secrets,
        await mustRun("docker", ["history", "--no-trunc", imageId]),
        `history of the image of ${name}`,
      );
    }
  });

  test("none is in the process list of any container", async (context) => {
    context.skip(ignoredLimits.has("processes"), "docker top needs control groups, which this engine does not have");
    for (const { id, name } of await containers("service")) {
      expectNone(secrets, await mustRun("docker", ["top", id, "-eo", "pid,args"]), `processes of ${name}`);
    }
  });

  async function secretsOfTheStack(all: readonly ContainerSummary[]): Promise<NamedSecret[]> {
    const found: NamedSecret[] = [
      ["engineAccessKey", stack.engineAccessKey],
      ["serviceApiKey", stack.serviceApiKey],
      ["adminPassword", stack.adminPassword],
    ];
    for (const { id, service } of all) found.push(...(await secretsOfContainer(id, service)));
    return found;
  }

  /** Passwords, sessions and tokens, right and wrong, sent to every endpoint and both WebSocket protocols. */
  async function secretsOfUse(): Promise<[string, string][]> {
    const account: Account = await makeAccount("analyst");
    const wrongPassword = "a wrong password 7f1c2d";
    const { sessionId } = await session(account);
    const token = await tokenOfSession(sessionId);
    await login({ email: account.email, password: wrongPassword });
    await singleStep({ email: account.email, password: wrongPassword });
    await singleStep(account);
    await post("{ view_bgpupdates(limit: 1) { prefix } }", { token });
    await post("{ nothing }", { token });
    await refusal("{ __typename }", { token: `${token.slice(0, -4)}AAAA` });
    await refusal("{ __typename }", { masterKey: `wrong${stack.engineAccessKey}` });
    for (const subscribe of [subscribeModern, subscribeLegacy]) {
      const feed = subscribe("subscription { view_bgpupdates(limit: 1) { prefix } }", {
        payload: { headers: { Authorization: `Bearer ${token}` } },
      });
      await feed.until(() => true, 5000);
      await feed.dispose();
    }
    await logout(sessionId);
    return [
      ["password of an account", account.password],
      ["wrong password of an account", wrongPassword],
      ["session id", sessionId],
      ["token", token],
      ["signature of a token", token.split(".")[2] as string],
    ];
  }
});

/** Fails with the secret's name, never with its value. */
function expectNone(secrets: Secrets, text: string, place: string): void {
  const present = [...secrets].filter(([, value]) => text.includes(value)).map(([name]) => name);
  expect(present, place).toEqual([]);
}
