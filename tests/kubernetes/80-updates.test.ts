import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { kinds } from "@routeql/cli/configuration/rotation";
import { done } from "../e2e/support/stack/administer.ts";
import { command } from "../e2e/support/commands.ts";
import { data } from "../e2e/support/clients/graphql.ts";
import { administrator, login, session, tokenOfSession } from "../e2e/support/clients/sessions.ts";
import { keepDrill } from "../harness/figures/drills.ts";
import { Clients } from "./support/clients.ts";
import { node } from "./support/node.ts";
import { npmRun } from "./support/npm-run.ts";
import { actWithRights } from "./support/rights.ts";
import { down, namespace, up } from "./support/stack.ts";

interface Pods {
  readonly items: readonly { readonly metadata: { readonly deletionTimestamp?: string } }[];
}

/** Settings of the updates up to now. */
let settings: Readonly<Record<string, string>> = {};

/** Updates the stack while clients work, until the former pods have ended. */
async function updateUnderLoad(drill: string, more: Readonly<Record<string, string>>): Promise<void> {
  settings = { ...settings, ...more };
  const clients = new Clients();
  await up(node, undefined, settings);
  const ending = async (): Promise<number> => {
    const { items } = await node.get<Pods>("pods", `--namespace=${namespace}`);
    return items.filter(({ metadata }) => metadata.deletionTimestamp !== undefined).length;
  };
  await expect.poll(ending, { timeout: 120_000, interval: 1000 }).toBe(0);
  const { answered, lost } = await clients.end();
  keepDrill("Kubernetes", drill, `${lost.length} of ${answered + lost.length} requests failed`);
  expect(lost).toEqual([]);
  expect(answered).toBeGreaterThan(20);
}

/** Updates and commands have the rights of docs/operate/rights/up.yaml, and no others. */
let rights: AsyncDisposable;
beforeAll(async () => {
  rights = await actWithRights("up.yaml", namespace);
});

// The next run of a single file finds a stack with the suite's settings. A new one: no service opens keys of a later generation.
afterAll(async () => {
  await rights[Symbol.asyncDispose]();
  if (process.env["ROUTEQL_TEST_NODE"] === undefined) return;
  await down();
  await up(node);
}, 600_000);

describe("a stack with working clients, with the rights of up.yaml", { timeout: 400_000 }, () => {
  test.each(Object.entries(kinds))("rotates %s under load", async (kind, { generation, until }) => {
    const tomorrow = new Date(Date.now() + 86_400_000).toISOString();
    const end = until === undefined ? {} : { [until]: tomorrow };
    await updateUnderLoad(`rotate ${kind}`, { [generation]: "2", ...end });
    expect((await login(administrator)).status).toBe(200);
  });

  test("a service that changed its own login is named by status and repaired by an update", async () => {
    // The generations above are even: the services log in as their second logins.
    const change = async (role: string, what: string): Promise<void> => {
      // A second login starts as the first one, which may not change it.
      const statements = [
        "set role none",
        "set default_transaction_read_only = off",
        `alter role routeql_${role}_2 ${what}`,
      ];
      const done = await npmRun("psql", ["--role", role, ...statements.flatMap((text) => ["-c", text])]);
      expect(done.code, done.stderr).toBe(0);
    };
    await change("engine", "password 'of an intruder'");
    await change("sidecar", "set statement_timeout = 1");
    const status = await npmRun("status", []);
    for (const role of ["routeql_engine_2", "routeql_sidecar_2"]) expect(status.stdout).toContain(role);
    // Without clients: a service that opens a connection before the update cannot log in.
    await up(node, undefined, settings);
    expect((await npmRun("status", [])).stdout).not.toContain("routeql_engine_2");
  });

  test("own migrations and metadata serve an account with an own role", async () => {
    await updateUnderLoad("own migrations and metadata", {
      metadata: "docs/start/desk/metadata",
      migrations: "docs/start/desk/migrations",
    });
    await command("load", "--demo", "3000");
    await command("detect", "routing/examples/demo.yaml");
    const account = { email: "desk@example.net", password: "a quiet orchard in april" };
    await done(["users", "add", account.email, "--role", "desk"], `${account.password}\n`);
    const caller = { token: await tokenOfSession((await session(account)).sessionId) };
    const { view_hijacks: hijacks } = await data<{ view_hijacks: { key: string }[] }>(
      "{ view_hijacks(limit: 1) { key } }",
      caller,
    );
    const note = { hijack_key: hijacks[0]!.key, note: "called" };
    await data("mutation ($note: desk_notes_insert_input!) { insert_desk_notes_one(object: $note) { id } }", caller, {
      note,
    });
    expect(await data("{ desk_notes { note hijack { notes { note } } } }", caller)).toEqual({
      desk_notes: [{ note: "called", hijack: { notes: [{ note: "called" }] } }],
    });
  });
});
