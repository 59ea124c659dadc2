import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { clientConfig, LibpqClient } from "@routeql/contract/connection/client";
import { readConnection } from "@routeql/contract/connection/connection";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { makeCertificate } from "../harness/certificate.ts";
import { startDatabase, type StartedDatabaseContainer } from "../harness/containers/database-container.ts";

/** Whether the connection is encrypted. */
const encrypted = "select ssl from pg_stat_ssl where pid = pg_backend_pid()";

/** The verdict on a URL. */
type Verdict = "encrypted" | "plain" | "refused";

describe("connection URLs mean the same to services and to libpq", { timeout: 240_000 }, () => {
  let database: StartedDatabaseContainer;
  let folder = "";
  /** Files of the same name and content here and in the container. */
  const files = { own: "", other: "" };

  const inContainer = async (...command: string[]): Promise<{ output: string; exitCode: number }> =>
    database.exec(command);
  const parameters = (mode: string | undefined, authority: keyof typeof files | undefined): string =>
    [mode && `sslmode=${mode}`, authority && `sslrootcert=${files[authority]}`].filter(Boolean).join("&");
  const url = (port: number, query: string): string =>
    `postgres://routeql_owner:${database.getPassword("owner")}@${database.getHost()}:${port}/routeql?${query}`;

  async function byLibpq(query: string): Promise<Verdict> {
    // The container reaches itself by the address that the host uses, or by loopback.
    const port = database.getHost() === "127.0.0.1" ? 5432 : database.getPort();
    const { output, exitCode } = await inContainer("psql", url(port, query), "-XtAc", encrypted);
    return exitCode !== 0 ? "refused" : output.trim() === "t" ? "encrypted" : "plain";
  }

  async function byService(query: string): Promise<Verdict> {
    try {
      const client = new LibpqClient(clientConfig(readConnection(url(database.getPort(), query))));
      client.on("error", () => undefined);
      await client.connect();
      const { rows } = await client.query<{ ssl: boolean }>(encrypted);
      await client.end();
      return rows[0]?.ssl === true ? "encrypted" : "plain";
    } catch {
      return "refused";
    }
  }

  const modes = [undefined, "disable", "allow", "prefer", "require", "verify-ca", "verify-full"];
  const authorities = [undefined, "own", "other"] as const;

  /** The verdicts on each mode with each authority, as one comparable object. */
  async function verdicts(judge: (query: string) => Promise<Verdict>): Promise<Record<string, Verdict>> {
    const found: Record<string, Verdict> = {};
    for (const mode of modes)
      for (const authority of authorities)
        found[`${mode ?? "default"} ${authority ?? "none"}`] = await judge(parameters(mode, authority));
    return found;
  }

  async function serve(name: string): Promise<void> {
    const [own, other] = [await makeCertificate("ecdsa", name), await makeCertificate("ecdsa", name)];
    for (const [file, content] of [
      [files.own, own.certificate],
      [files.other, other.certificate],
    ] as const) {
      await writeFile(file, content);
      await inContainer("bash", "-c", `mkdir -p '${folder}' && printf %s '${content}' >'${file}'`);
    }
    for (const [file, content] of [
      ["server.key", own.privateKey],
      ["server.crt", own.certificate],
    ] as const)
      await inContainer("bash", "-c", `umask 077; printf %s '${content}' >"$PGDATA/${file}"`);
    await query("alter system set ssl = on");
    await reload();
    await expect.poll(() => byLibpq("sslmode=require"), { timeout: 60_000 }).toBe("encrypted");
  }
  async function query(text: string): Promise<void> {
    await using client = await database.connect("bootstrap");
    await client.query(text);
  }
  const reload = (): Promise<void> => query("select pg_reload_conf()");

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "routeql-urls-"));
    Object.assign(files, { own: join(folder, "own.pem"), other: join(folder, "other.pem") });
    database = await startDatabase();
  }, 180_000);

  afterAll(async () => {
    await database?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  test("a server without TLS", async () => {
    const found = await verdicts(byService);
    expect(found).toMatchObject({ "default none": "plain", "prefer none": "plain", "require none": "refused" });
    expect(found).toEqual(await verdicts(byLibpq));
  });

  test("a server with its own authority, by its own name", async () => {
    await serve(database.getHost());
    const found = await verdicts(byService);
    expect(found).toMatchObject({
      "default none": "encrypted",
      "require none": "encrypted",
      "require other": "refused",
      "verify-ca none": "refused",
      "verify-full own": "encrypted",
    });
    // libpq leaves TLS after a certificate that it refuses, and tries `allow` without TLS first; services encrypt or refuse.
    const stricter = {
      "default other": "refused",
      "prefer other": "refused",
      "allow none": "encrypted",
      "allow own": "encrypted",
      "allow other": "refused",
    };
    expect(found).toEqual({ ...(await verdicts(byLibpq)), ...stricter });
  });

  test("a login is bound to the certificate of the server, as channel_binding demands", async () => {
    const judged = async (judge: (query: string) => Promise<Verdict>): Promise<readonly Verdict[]> => {
      const queries = ["sslmode=require&", "", "sslmode=disable&"].flatMap((mode) =>
        ["require", "prefer", "disable"].map((binding) => `${mode}channel_binding=${binding}`),
      );
      const found: Verdict[] = [];
      for (const each of queries) found.push(await judge(each));
      return found;
    };
    const scram = await judged(byService);
    expect(scram).toEqual([...Array<Verdict>(6).fill("encrypted"), "refused", "plain", "plain"]);
    expect(scram).toEqual(await judged(byLibpq));
    // A login without SCRAM is not bound.
    await inContainer(
      "bash",
      "-c",
      `cp "$PGDATA/pg_hba.conf" /tmp/hba && sed -i '1i host all all all trust' "$PGDATA/pg_hba.conf"`,
    );
    await reload();
    try {
      const trusted = [
        "refused",
        "encrypted",
        "encrypted",
        "refused",
        "encrypted",
        "encrypted",
        "refused",
        "plain",
        "plain",
      ];
      await expect.poll(() => judged(byLibpq), { timeout: 60_000 }).toEqual(trusted);
      expect(await judged(byService)).toEqual(trusted);
    } finally {
      await inContainer("bash", "-c", `cp /tmp/hba "$PGDATA/pg_hba.conf"`);
      await reload();
    }
  });

  test("a server with a certificate for another name", async () => {
    await serve("elsewhere.example.net");
    expect([
      await byService(parameters("verify-ca", "own")),
      await byService(parameters("require", "own")),
      await byService(parameters("verify-full", "own")),
    ]).toEqual(["encrypted", "encrypted", "refused"]);
    expect([await byLibpq(parameters("verify-ca", "own")), await byLibpq(parameters("verify-full", "own"))]).toEqual([
      "encrypted",
      "refused",
    ]);
  });

  test("a server that requires TLS accepts a URL without sslmode", async () => {
    await inContainer("bash", "-c", `sed -i -E 's/^host(\\s)/hostssl\\1/' "$PGDATA/pg_hba.conf"`);
    const { exitCode } = await inContainer("psql", "-XtAc", "select pg_reload_conf()");
    expect(exitCode).toBe(0);
    await expect.poll(() => byLibpq("sslmode=disable"), { timeout: 60_000 }).toBe("refused");
    expect(await byService("sslmode=disable")).toBe("refused");
    expect(await byService("")).toBe("encrypted");
    expect(await byLibpq("")).toBe("encrypted");
  });
});
