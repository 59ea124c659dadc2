import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { dockerClient } from "@routeql/host/docker/client";
import { ownEngineImage } from "@routeql/infra/settings/declared/images";
import { engineOfTheRun, hasFront } from "../e2e/support/stack/engine-of-the-run.ts";
import { changedServices, deployedStack, everythingOf } from "../pulumi/support/deployed-stack.ts";
import type { DeployedStack } from "../pulumi/support/deployed-stack.ts";
import { keepWorking } from "../pulumi/support/working-clients.ts";

const hijacks = "hasura-metadata/databases/default/tables/public_view_hijacks.yaml";
/** The front reads the metadata too. */
const front = hasFront ? ["front"] : [];
const comment = '{ __type(name: "view_hijacks") { description } }';
const serviceApiKey = "first-key-of-the-service-0123456789abcdef";

/** The whole program on a real Docker host, under the real Pulumi. Without ENGINE=hasura the embedded engine replaces Hasura. */
describe("the life of a stack", { timeout: 600_000 }, () => {
  let stack: DeployedStack;

  beforeAll(async () => {
    const engine: Record<string, string> =
      engineOfTheRun()["engine"] === "hasura" ? {} : { ENGINE: "hasura", HASURA_IMAGE: ownEngineImage };
    stack = await deployedStack({ ...engine, SERVICE_API_KEY: serviceApiKey });
    expect(await stack.up()).toMatch(/^\d+ created$/);
  }, 600_000);

  afterAll(async () => {
    await stack?.[Symbol.asyncDispose]();
  }, 200_000);

  test("the second update changes nothing", async () => {
    const before = await stack.containers();
    expect(await stack.up()).toBe("nothing changed");
    expect(changedServices(before, await stack.containers())).toEqual([]);
  });

  test("changed metadata restarts only its readers and is served without a failed request", async () => {
    const before = await stack.containers();
    const clients = keepWorking(stack, { interval: 20, logins: false });
    await stack.checkout.edit(hijacks, (text) =>
      text.replace(/^table:/m, "configuration:\n  comment: seen by many\ntable:"),
    );
    await stack.up();
    await expect
      .poll(() => stack.query(comment), { timeout: 20_000 })
      .toMatchObject({ data: { __type: { description: "seen by many" } } });
    const { requests, failures } = await clients.end();
    expect(failures).toEqual([]);
    expect(requests).toBeGreaterThan(50);
    expect(changedServices(before, await stack.containers())).toEqual(["apply-metadata", ...front]);
  });

  test("rejects inconsistent metadata with every problem and keeps the previous one", async () => {
    const before = await stack.containers();
    let good = "";
    await stack.checkout.edit(hijacks, (text) => {
      good = text;
      return text
        .replaceAll(/columns:\n/g, "columns:\n        - no_such_column\n")
        .replace("seen by many", "seen by none");
    });
    const output = await stack.failingUp();
    expect(output).toContain("apply-metadata");
    expect(output).toContain("no_such_column");
    expect(await stack.query(comment)).toMatchObject({ data: { __type: { description: "seen by many" } } });
    expect(changedServices(before, await stack.containers())).toEqual(["apply-metadata"]);
    await stack.checkout.edit(hijacks, () => good);
    await stack.up();
    expect(await stack.up()).toBe("nothing changed");
  });

  test("a changed service key restarts only its reader, and a changed nginx file only reloads", async () => {
    const before = await stack.containers();
    await stack.checkout.edit(".env", (text) =>
      text.replace(serviceApiKey, "other-key-of-the-service-fedcba9876543210"),
    );
    await stack.up();
    const between = await stack.containers();
    expect(changedServices(before, between)).toEqual(["auth-sidecar"]);
    await stack.checkout.edit("nginx/configuration/replies/reply-headers.conf", (text) => `${text}\n# another line\n`);
    expect(await stack.up()).toContain("1 replaced");
    expect(changedServices(between, await stack.containers())).toEqual([]);
  });

  test("another migration runs the two jobs, and no service restarts", async () => {
    const before = await stack.containers();
    await stack.checkout.edit(
      "database/migrations/0999_another.sql",
      () => "comment on table view_hijacks is 'another';\n",
    );
    await stack.up();
    expect(changedServices(before, await stack.containers())).toEqual(["apply-metadata", "migrate"]);
  });

  test("own migrations and metadata serve an account with an own role, and survive restores", async () => {
    const before = await stack.containers();
    const { checkout } = stack;
    const isArchived =
      "select count(*) from migrations.finished_runs where run = 'backup' and finished_at < now() - interval '2 s'";
    await expect
      .poll(() => checkout.command("psql", stack.name, ["-Atc", isArchived]), { timeout: 60_000 })
      .toMatchObject({ output: expect.stringMatching(/^1$/m) });
    const withoutThem = new Date().toISOString();
    await stack.checkout.edit(
      ".env",
      (text) => `${text}METADATA=docs/start/desk/metadata\nMIGRATIONS=docs/start/desk/migrations\n`,
    );
    await stack.up();
    // The filters of the own metadata read a session variable that the service before the clients has to know.
    expect(changedServices(before, await stack.containers())).toEqual([
      "apply-metadata",
      "auth-sidecar",
      hasFront ? "front" : "engine",
      "migrate",
    ]);
    const typePassword = { through: ["sh", "-c", 'printf "a quiet orchard in april\\n" | "$0" "$@"'] };
    const command = async (name: string, args: readonly string[]): Promise<string> => {
      const { code, output } = await stack.checkout.command(name, stack.name, args, typePassword);
      expect(code, output).toBe(0);
      return output;
    };
    const ask = (query: string): Promise<string> => command("query", ["--email", "bea@example.net", query]);
    await command("load", ["--demo", "3000"]);
    await command("detect", ["routing/examples/demo.yaml"]);
    await command("users", ["add", "bea@example.net", "--role", "desk"]);
    const [, key] = /"key":"(\w+)"/.exec(await ask("{ view_hijacks(limit: 1) { key } }")) ?? [];
    await ask(`mutation { insert_desk_notes_one(object: { hijack_key: "${key}", note: "called" }) { id } }`);
    const file = join(stack.checkout.folder, "own.dump");
    await command("backup", ["--to", file]);
    const moment = new Date().toISOString();
    for (const restored of [
      ["--replace", file],
      ["--to-time", moment],
    ]) {
      await ask('mutation { update_desk_notes(where: {}, _set: { note: "forgotten" }) { affected_rows } }');
      await command("restore", restored);
      expect(await ask("{ desk_notes { note hijack { key notes { note } } } }")).toContain(
        `{"desk_notes":[{"note":"called","hijack":{"key":"${key}","notes":[{"note":"called"}]}}]}`,
      );
    }
    // The restored state has neither the table nor, in Hasura's stored metadata, the role. Hasura reads it at its start.
    await command("restore", ["--to-time", withoutThem]);
    await command("users", ["add", "bea@example.net", "--role", "desk"]);
    await dockerClient()
      .getContainer((await stack.containers())["engine"] ?? "")
      .restart();
    await expect.poll(() => ask("{ desk_notes { note } }"), { timeout: 60_000 }).toContain('{"desk_notes":[]}');
    await stack.checkout.edit("docs/start/desk/migrations/0001_notes.sql", (text) => `${text}-- changed\n`);
    expect(await stack.failingUp()).toContain("your migration 0001_notes has changed since it was applied");
    await stack.checkout.edit("docs/start/desk/migrations/0001_notes.sql", (text) => text.replace("-- changed\n", ""));
    await stack.up();
    expect(await stack.up()).toBe("nothing changed");
  });

  test("a role that changed its own password or settings is named by status and repaired by up", async () => {
    const { checkout, name } = stack;
    const change = async (role: string, what: string): Promise<void> => {
      const statements = ["set default_transaction_read_only = off", `alter role routeql_${role} ${what}`];
      const { code, output } = await checkout.command("psql", name, [
        "--role",
        role,
        ...statements.flatMap((text) => ["-c", text]),
      ]);
      expect(code, output).toBe(0);
    };
    await change("engine", "password 'of an intruder'");
    await change("sidecar", "set statement_timeout = 1");
    const { output } = await checkout.command("status", name);
    expect(output).toMatch(/routeql_engine: cannot work: password authentication failed/);
    expect(output).toMatch(/routeql_sidecar: /);
    expect(await stack.up()).toContain("1 replaced");
    expect((await checkout.command("status", name)).output).not.toContain("routeql_engine");
    expect(await stack.up()).toBe("nothing changed");
  });

  test("an image that cannot be built stops the update, and the next one continues", async () => {
    const before = await stack.containers();
    let good = "";
    await stack.checkout.edit("images/gateway/Dockerfile", (text) => {
      good = text;
      return text.replace("USER ", "RUN echo 'the disk of the builder is gone' && exit 7\nUSER ");
    });
    const output = await stack.failingUp();
    expect(output).toContain("the disk of the builder is gone");
    expect(output).toContain("What to do:");
    expect(changedServices(before, await stack.containers())).toEqual([]);
    await stack.checkout.edit("images/gateway/Dockerfile", () => good);
    expect(await stack.up()).toBe("nothing changed");
  });

  test("a killed and a removed container return, and the others stay", async () => {
    const before = await stack.containers();
    const docker = dockerClient();
    await docker.getContainer(before["auth-sidecar"] ?? "").update({ RestartPolicy: { Name: "no" } });
    await docker.getContainer(before["auth-sidecar"] ?? "").kill();
    await docker.getContainer(before["gateway"] ?? "").remove({ force: true });
    await stack.up();
    const after = await stack.containers();
    expect(changedServices(before, after).filter((name) => name !== "auth-sidecar")).toEqual(["gateway"]);
    expect(await stack.query("{ view_hijacks(limit: 1) { key } }")).toHaveProperty("data");
    expect((await docker.getContainer(after["auth-sidecar"] ?? "").inspect()).State.Running).toBe(true);
    expect(await stack.up()).toBe("nothing changed");
  });

  test("down leaves only the data, and --volumes deletes that too", async () => {
    expect((await stack.checkout.command("down", stack.name)).code).toBe(0);
    const kept = ["archive-data", "database-archive", "database-data", "database-socket", "sessions-data"];
    expect(await everythingOf(stack.name)).toEqual(kept.map((name) => `volume routeql-${stack.name}-${name}`));
    expect((await stack.checkout.command("down", stack.name, ["--volumes"])).code).toBe(0);
    expect(await everythingOf(stack.name)).toEqual([]);
  });
});
