import { mkdirSync, renameSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join, resolve } from "node:path";
import { execa } from "execa";
import { describe, expect, test, vi } from "vitest";
import { readProject } from "./metadata/project.ts";
import { allRules, unusedException } from "./rules/list.ts";
import { gitAbsent, MetadataFolder, routeql, sound, tableFile } from "./testing/tool.ts";

export interface Finished {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program with only the given environment. A non-zero exit code is a result, not an error. */
export async function run(
  file: string,
  args: readonly string[],
  { cwd, env, timeout }: { readonly cwd: string; readonly env: NodeJS.ProcessEnv; readonly timeout: number },
): Promise<Finished> {
  const {
    exitCode = -1,
    stdout,
    stderr,
  } = await execa(file, args, {
    cwd,
    env,
    extendEnv: false,
    timeout,
    input: "",
    reject: false,
    stripFinalNewline: false,
  });
  return { code: exitCode, stdout, stderr };
}

/* The tool as its users have it: a process of its own, or, where only its words count, its function. */

const program = resolve(import.meta.dirname, "../bin/hasura-checks.js");
const generous = 60_000;

async function spawned(directory: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  return run(process.execPath, [program, ...args], {
    cwd: directory,
    env: { PATH: process.env["PATH"], ...env },
    timeout: generous,
  });
}

const printed = (code: number, text: string) => ({ code, stdout: expect.stringContaining(text) as string });
const refused = (text: string) => ({ code: 2, stderr: expect.stringContaining(text) as string });
const note = (permission = sound) => tableFile("note", permission);

describe("help", { timeout: generous }, () => {
  test("lists the verbs, and each verb explains its options, exit codes and examples", async () => {
    const { code, stdout } = await spawned("/", ["--help"]);
    expect(code).toBe(0);
    for (const verb of ["permissions", "lint", "diff"]) {
      expect(stdout).toMatch(new RegExp(`^  ${verb} +\\w`, "m"));
      const help = await routeql("/", [verb, "--help"]);
      expect(help.code).toBe(0);
      for (const part of [`hasura-checks ${verb}`, "Options:", "--metadata DIR", "Exit codes:", "Examples:"])
        expect(help.stdout).toContain(part);
      expect(
        Math.max(
          ...help.stdout
            .split("\n")
            .slice(1)
            .map((line) => line.length),
        ),
      ).toBeLessThanOrEqual(110);
    }
  });

  test.each([
    [[], "hasura-checks VERB"],
    [["fly"], "there are init, lint, permissions, diff"],
    [["lint", "--fly"], "Unknown option '--fly'"],
    [["lint", "--metadata", "nowhere"], "there is no metadata at nowhere"],
    [["lint"], "Give --metadata DIR"],
    [["lint", "metadata"], "did you mean --metadata metadata?"],
    [["diff", "--metadata", "."], "give either --endpoint or --base"],
    [
      ["lint", "--metadata", "..", "--database", "sesame"],
      "the database is not given as a URL, such as postgres://user@localhost/app",
    ],
    [["lint", "--format", "xml"], "there is no format xml"],
    [["lint", "--metadata", "..", "--only-new"], "--only-new needs --base"],
  ] as const)("%j is called wrongly: exit code 2 and a reason", async (args, reason) => {
    using folder = new MetadataFolder([]);
    const { code, stdout, stderr } = await routeql(join(folder.path, "metadata/databases"), args);
    expect(code).toBe(2);
    expect(stdout + stderr).toContain(reason);
  });
});

/** Number of the rules with these needs. The one for exceptions counts only findings of the others. */
const rulesWith = (...needs: readonly (string | undefined)[]): number =>
  allRules.filter((rule) => needs.includes(rule.needs) && rule.id !== unusedException.id).length;

describe("lint", { timeout: generous }, () => {
  test("reports correct metadata with exit code 0 and without colours outside a terminal", async () => {
    using folder = new MetadataFolder([note()]);
    const { code, stdout } = await spawned(folder.path, ["lint"]);
    expect([code, stdout.split("\n")[0]]).toEqual([
      0,
      `no findings; 1 permission on 1 table examined by ${rulesWith(undefined)} rules, without a database`,
    ]);
    expect(stdout).not.toContain("\u001B");
  });

  test("lists findings with file, line, reason and remedy, with exit code 1", async () => {
    using folder = new MetadataFolder([note("columns: [id]\nfilter: {}\nlimit: 1")]);
    const { code, stdout } = await spawned(folder.path, ["lint", "--metadata", "metadata"]);
    expect(code).toBe(1);
    expect(stdout).toContain(
      "metadata/databases/default/tables/t0.yaml:8  warning  every-row\n  reader may read every row of public.note: the filter is empty\n  → ",
    );
  });

  test("writes JSON and GitHub annotations", async () => {
    using folder = new MetadataFolder([note("columns: [id]\nfilter: {}\nlimit: 1")]);
    const json = JSON.parse((await routeql(folder.path, ["lint", "--json"])).stdout) as { findings: unknown };
    expect(json.findings).toMatchObject([
      {
        rule: "every-row",
        severity: "warning",
        file: "metadata/databases/default/tables/t0.yaml",
        line: 8,
        table: "public.note",
        role: "reader",
      },
    ]);
    const { stdout } = await routeql(folder.path, ["lint", "--format", "github"]);
    expect(stdout.split("\n")[0]).toMatch(
      /^::warning file=metadata\/databases\/default\/tables\/t0\.yaml,line=8,title=every-row::reader may read every row of public\.note: the filter is empty%0A/,
    );
  });

  test("writes SARIF and the GitLab report with fingerprints that survive moved lines", async () => {
    const open = "columns: [id]\nfilter: {}\nlimit: 1";
    using folder = new MetadataFolder([note(open)]);
    interface Log {
      runs: {
        tool: { driver: { rules: { id: string }[] } };
        results: { ruleId: string; level: string; locations: unknown[]; partialFingerprints: Record<string, string> }[];
      }[];
    }
    const asked = async () =>
      [
        JSON.parse((await routeql(folder.path, ["lint", "--format", "sarif"])).stdout),
        JSON.parse((await routeql(folder.path, ["lint", "--format", "gitlab"])).stdout),
      ] as [Log, { fingerprint: string }[]];
    const [log, issues] = await asked();
    expect(log).toMatchObject({
      version: "2.1.0",
      runs: [
        {
          tool: {
            driver: {
              name: "hasura-checks",
              rules: [
                { id: "every-row", shortDescription: { text: expect.stringMatching(/^Finds a select/) as string } },
              ],
            },
          },
        },
      ],
    });
    const place = "metadata/databases/default/tables/t0.yaml";
    expect(log.runs[0]?.results).toMatchObject([
      {
        ruleId: "every-row",
        ruleIndex: 0,
        level: "warning",
        locations: [{ physicalLocation: { artifactLocation: { uri: place }, region: { startLine: 8 } } }],
      },
    ]);
    expect(issues).toMatchObject([
      { check_name: "every-row", severity: "minor", location: { path: place, lines: { begin: 8 } } },
    ]);
    folder.write(place, `# moved\n${note(open)}`);
    const [later, laterIssues] = await asked();
    expect(later.runs[0]?.results[0]).toMatchObject({
      locations: [{ physicalLocation: { region: { startLine: 9 } } }],
      partialFingerprints: log.runs[0]?.results[0]?.partialFingerprints,
    });
    expect(laterIssues[0]?.fingerprint).toBe(issues[0]?.fingerprint);
  });

  test("groups a long report by rule, so that it fits a screen", async () => {
    using folder = new MetadataFolder(
      Array.from({ length: 15 }, (_none, index) => tableFile(`note_${index}`, "columns: [id]\nfilter: {}")),
    );
    const { stdout } = await routeql(folder.path, ["lint"]);
    expect(stdout).toMatch(/^warning {2}every-row: 15 places, 1 role, 15 tables\n( {2}t\d\.yaml:\d+ {2}.*\n){3} {2}→ /);
    expect(stdout).toMatch(/\n`--all` lists every finding.*\n30 findings \(0 errors, 30 warnings\); /);
    expect(stdout.split("\n").length).toBeLessThan(40);
    expect((await routeql(folder.path, ["lint", "--all"])).stdout.match(/ {2}every-row\n/g)).toHaveLength(15);
  });

  test("reads metadata of version 2 with files and lines", async () => {
    using folder = new MetadataFolder([]);
    folder.write("old/version.yaml", "version: 2\n");
    folder.write("old/functions.yaml", "[]\n");
    folder.write(
      "old/tables.yaml",
      "- table: note\n  select_permissions:\n  - role: reader\n    permission:\n      columns: [id]\n      filter: {}\n      limit: 5\n",
    );
    expect(await routeql(folder.path, ["lint", "--metadata", "old"])).toMatchObject(
      printed(1, "old/tables.yaml:6  warning  every-row\n"),
    );
    expect((await routeql(folder.path, ["permissions", "--metadata", "old"])).stderr).toContain(
      "give --database URL, or set HASURA_GRAPHQL_DATABASE_URL",
    );
    folder.write(
      "old.json",
      JSON.stringify({
        version: 2,
        tables: [
          {
            table: "note",
            select_permissions: [{ role: "reader", permission: { columns: ["id"], filter: {}, limit: 5 } }],
          },
        ],
      }),
    );
    expect((await routeql(folder.path, ["lint", "--metadata", "old.json"])).stdout).toContain(
      "reader may read every row of public.note",
    );
  });

  test("explains a directory without metadata, and notes sources of other databases", async () => {
    using folder = new MetadataFolder([]);
    folder.write("else/readme.txt", "Nothing of metadata.\n");
    expect(await routeql(folder.path, ["lint", "--metadata", "else"])).toMatchObject(
      refused("it has neither version.yaml nor databases/. Give a directory with them"),
    );
    folder.write(
      "metadata/databases/databases.yaml",
      "- name: default\n  kind: mssql\n  configuration: {connection_info: {connection_string: {from_env: A}}}\n  tables: []\n",
    );
    expect(await routeql(folder.path, ["lint"])).toMatchObject(
      printed(1, "the source default is of the kind mssql; only Postgres sources are examined"),
    );
  });

  test("reports keys that Hasura ignores, and examines the rest as Hasura does", async () => {
    using folder = new MetadataFolder([note("columns: [id]\nfilter: {}\nlimit: 1\nlimits: 2")], {
      "metadata/docker-compose.yaml": "services: {}\n",
    });
    const { code, stdout } = await routeql(folder.path, ["lint"]);
    expect([
      code,
      stdout.split("\n").filter((line) => line.includes("  metadata-shape") || line.includes("  every-row")),
    ]).toEqual([
      1,
      [
        "metadata/databases/default/tables/t0.yaml:10  error  metadata-shape",
        "metadata/docker-compose.yaml:1  warning  metadata-shape",
        "metadata/databases/default/tables/t0.yaml:8  warning  every-row",
      ],
    ]);
    expect(stdout).toContain("public.note: select_permissions[0].permission.limits: unknown key; did you mean limit?");
    expect((await routeql(folder.path, ["permissions", "--database", "postgres://127.0.0.1:1/app"])).stderr).toContain(
      "the database does not answer",
    );
  });

  test("reports broken YAML with its line", async () => {
    using folder = new MetadataFolder([note(), "table:\n  name: broken\n schema: {\n"]);
    expect(await routeql(folder.path, ["lint"])).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/t1\.yaml:[34] {2}error {2}metadata-shape\n/) as string,
    });
  });

  test("keeps its exit code if the reader closes the pipe", async () => {
    // More than the buffer of a pipe, so that writing waits for the reader.
    using folder = new MetadataFolder(
      Array.from({ length: 400 }, (_none, index) => tableFile(`note_${index}`, "columns: [id]\nfilter: {}")),
    );
    const { stdout, stderr } = await run(
      "sh",
      ["-c", '{ "$0" "$1" lint; echo "ended with $?" >&2; } | head -n 1', process.execPath, program],
      { cwd: folder.path, env: { PATH: process.env["PATH"] }, timeout: generous },
    );
    expect([stdout.split("\n").length, stderr]).toEqual([2, "ended with 1\n"]);
  });

  test("finds the metadata by config.yaml, inside and outside the folder of a project", async () => {
    using folder = new MetadataFolder([note()]);
    folder.write("project/config.yaml", "version: 3\nmetadata_directory: ../metadata\n");
    for (const [directory, args] of [
      [folder.path, ["--metadata", "project"]],
      [join(folder.path, "project"), []],
    ] as const) {
      expect(await routeql(directory, ["lint", ...args])).toMatchObject(printed(0, "1 permission on 1 table"));
    }
    folder.write("project/config.yaml", "metadata_directory: [");
    expect(await routeql(folder.path, ["lint", "--metadata", "project"])).toMatchObject(
      refused("project/config.yaml:1: "),
    );
  });

  test("applies exceptions with a reason, and reports unused ones", async () => {
    const exception = (role: string) => `exceptions:\n  - {rule: every-row, role: ${role}, reason: It is public.}\n`;
    using folder = new MetadataFolder([note("columns: [id]\nfilter: {}\nlimit: 1")], {
      "hasura-checks.yaml": exception("reader"),
    });
    expect(await routeql(folder.path, ["lint"])).toMatchObject(
      printed(
        0,
        `no findings; 1 permission on 1 table examined by ${rulesWith(undefined)} rules, without a database, 1 excepted`,
      ),
    );
    folder.write("hasura-checks.yaml", exception("other"));
    expect((await routeql(folder.path, ["lint"])).stdout).toContain(
      "the exception from every-row for role other excepts nothing",
    );
  });

  test.each([
    ["without a reason", "exceptions: [{rule: every-row}]", "exceptions[0].reason"],
    ["from a rule that does not exist", "exceptions: [{rule: evry-row, reason: x}]", "there is no rule evry-row"],
    ["with a key that nobody knows", "exeptions: []", "exeptions"],
  ])("refuses an exception %s", async (_what, text, reason) => {
    using folder = new MetadataFolder([note()], { "hasura-checks.yaml": text });
    const { code, stderr } = await routeql(folder.path, ["lint"]);
    expect(code).toBe(2);
    expect(stderr).toContain(reason);
  });

  test("compares with a revision of git", async (context) => {
    context.skip(gitAbsent() !== undefined, gitAbsent());
    using folder = new MetadataFolder([note()]);
    folder.commit();
    folder.write("metadata/databases/default/tables/t0.yaml", note(sound.replace("[id]", "[id, secret]")));
    const { code, stdout } = await routeql(folder.path, ["lint", "--base", "HEAD"]);
    expect(code).toBe(1);
    expect(stdout).toContain("t0.yaml:7  warning  widened-permission\n  reader can now read public.note.secret");
    expect(await routeql(folder.path, ["diff", "--base", "HEAD"])).toMatchObject(
      printed(1, "reader can now read public.note.secret"),
    );
    expect(await routeql(folder.path, ["lint", "--base", "no-such-branch"])).toMatchObject(
      refused("no-such-branch is neither a directory nor a revision of git"),
    );
  });

  test("compares with a revision with another metadata folder, and asks for an unknown one", async (context) => {
    context.skip(gitAbsent() !== undefined, gitAbsent());
    using folder = new MetadataFolder([note()]);
    folder.commit();
    const moved = ["lint", "--metadata", "hasura/metadata", "--base"];
    mkdirSync(join(folder.path, "hasura"));
    folder.git("mv", "metadata", "hasura/metadata");
    expect(await routeql(folder.path, [...moved, "HEAD"])).toMatchObject(
      refused("HEAD has no metadata at hasura/metadata: omit --base, or give the former path"),
    );
    expect(await routeql(folder.path, [...moved, "HEAD:metadata"])).toMatchObject(
      printed(0, `examined by ${rulesWith(undefined, "base")} rules`),
    );
    expect(await routeql(folder.path, [...moved, "HEAD:elsewhere"])).toMatchObject(
      refused("has no metadata at elsewhere"),
    );
    expect(await routeql(folder.path, [...moved, "none:metadata"])).toMatchObject(
      refused("none:metadata is neither a directory nor a revision of git"),
    );
  });

  test("compares with a revision in a hook, where git names its repository in the environment", async (context) => {
    context.skip(gitAbsent() !== undefined, gitAbsent());
    using folder = new MetadataFolder([note()]);
    mkdirSync(join(folder.path, "hasura"));
    renameSync(join(folder.path, "metadata"), join(folder.path, "hasura/metadata"));
    folder.commit();
    vi.stubEnv("GIT_DIR", join(folder.path, ".git"));
    for (const base of ["HEAD", "HEAD:hasura/metadata"])
      expect(await routeql(folder.path, ["lint", "--metadata", "hasura/metadata", "--base", base])).toMatchObject(
        printed(0, `examined by ${rulesWith(undefined, "base")} rules`),
      );
  });

  test("explains how to fetch a base that a shallow clone lacks, and reports an empty --base", async (context) => {
    context.skip(gitAbsent() !== undefined, gitAbsent());
    using folder = new MetadataFolder([note()]);
    using clone = new MetadataFolder([]);
    for (const message of ["first", "second"]) {
      folder.write("message", message);
      folder.commit(message);
    }
    folder.git("clone", "--quiet", "--depth", "1", `file://${folder.path}`, join(clone.path, "clone"));
    const base = ["lint", "--metadata", "clone/metadata", "--base"];
    expect(await routeql(clone.path, [...base, "HEAD~1"])).toMatchObject(
      refused("This clone is shallow: fetch the whole history in CI"),
    );
    expect(await routeql(clone.path, [...base, ""])).toMatchObject(refused("--base is empty"));
  });

  test("reports a database that does not answer, without its password", async () => {
    using folder = new MetadataFolder([note()]);
    const { code, stdout, stderr } = await spawned(folder.path, [
      "lint",
      "--database",
      "postgres://app:sesame@127.0.0.1:1/app",
    ]);
    expect(code).toBe(2);
    expect(stderr).toContain("the database does not answer");
    expect(stdout + stderr).not.toContain("sesame");
  });
});

describe("secrets in changed metadata", { timeout: generous, skip: gitAbsent() !== undefined }, () => {
  // Written in parts, so that no scanner of this repository reports them.
  const secretOf = (number: number) => ["q7Zk2LmX9vBt", "4RwY8sDf6HjP"].join(String(number));
  const files = (number: number) => {
    const secret = secretOf(number);
    return {
      "metadata/databases/databases.yaml": `- name: default\n  kind: postgres\n  configuration: {connection_info: {database_url: "postgres://app:${secret}@db/app"}}\n  tables: "!include default/tables/tables.yaml"\n`,
      "metadata/actions.yaml": `actions:\n  - {name: pay, definition: {kind: synchronous, handler: "https://pay.example/run?code=${secret}", headers: [{name: X-Info, value: "${secret}"}, {name: X-Token, value: swordfish${number}}]}}\n`,
      "metadata/cron_triggers.yaml": `- {name: nightly, webhook: "https://app:${secret}@cron.example/${number}", schedule: 0 0 * * *, include_in_metadata: true}\n`,
      "metadata/remote_schemas.yaml": `- {name: shop, definition: {url: "https://shop.example/${number}?api_key=${secret}", timeout_seconds: 60}}\n`,
    };
  };
  const trigger = (number: number) =>
    `event_triggers:\n  - {name: sent, webhook: "https://app:${secretOf(number)}@hooks.example/${number}?token=${secretOf(number)}", definition: {insert: {columns: "*"}}, retry_conf: {num_retries: 0}}\n`;
  const filter = (number: number) => `columns: [id]\nfilter: {note: {_eq: ghp_${"a1B2c3".repeat(5)}a1B2c${number}}}`;

  const formats = ["text", "json", "github", "gitlab", "sarif"];
  test.each(formats.flatMap((format) => ["diff", "lint"].map((verb) => [verb, format] as const)))(
    "%s --base prints none of them as %s",
    async (verb, format) => {
      using folder = new MetadataFolder([tableFile("note", filter(1), trigger(1))], files(1));
      folder.commit();
      for (const [name, text] of Object.entries(files(2))) folder.write(name, text);
      folder.write("metadata/databases/default/tables/t0.yaml", tableFile("note", filter(2), trigger(2)));
      const { code, stdout, stderr } = await routeql(folder.path, [
        verb,
        "--base",
        "HEAD",
        "--all",
        "--format",
        format,
      ]);
      expect([code, stderr]).toEqual([1, ""]);
      expect(stdout).toContain("the cron trigger nightly now calls https://app:***@cron.example/2");
      expect(stdout).not.toMatch(/q7Zk2LmX9vBt|swordfish|ghp_|4RwY8sDf6HjP/);
    },
  );

  test("diff --base says that a hidden part changed", async () => {
    using folder = new MetadataFolder([note()], files(1));
    folder.commit();
    folder.write("metadata/actions.yaml", files(2)["metadata/actions.yaml"]);
    const { stdout } = await routeql(folder.path, ["diff", "--base", "HEAD"]);
    expect(stdout).toContain('handler differs in a part that is not shown: "https://pay.example/run?code=***"');
  });
});

describe("diff --endpoint", { timeout: generous }, () => {
  async function answering(reply: (secret: string | undefined) => readonly [number, unknown]) {
    const server = createServer((request, response) => {
      const [status, body] =
        request.url === "/v1/metadata"
          ? reply(request.headers["x-hasura-admin-secret"] as string | undefined)
          : [404, { error: "resource does not exist" }];
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    });
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    return {
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      [Symbol.asyncDispose]: async () => void (await new Promise((done) => server.close(done))),
    };
  }

  test("has exit code 0 for the same metadata, and 1 with the differences", async () => {
    using folder = new MetadataFolder([note()], { secret: "sesame\n" });
    const same = readProject("metadata", folder.path).loaded.merged;
    let running: unknown = same;
    await using engine = await answering((secret) =>
      secret === "sesame"
        ? [200, { resource_version: 7, metadata: running }]
        : [401, { error: "invalid x-hasura-admin-secret", code: "access-denied" }],
    );
    const args = ["diff", "--endpoint", engine.url, "--admin-secret-file", "secret"];
    expect(await spawned(folder.path, args)).toMatchObject({
      code: 0,
      stdout: "no findings; the running engine has the same metadata\n",
    });
    running = JSON.parse(JSON.stringify(same).replace('"limit":10', '"limit":1000'));
    const { code, stdout } = await routeql(folder.path, args);
    expect(code).toBe(1);
    expect(stdout).toContain(
      "table public.note, select permission of reader, limit is 10 in the repository, and 1000 in the running engine",
    );
    expect(stdout).toMatch(/t0\.yaml:\d+ {2}warning {2}drift/);
  });

  test("has exit code 2 for a wrong secret, a missing engine or an answer without metadata", async () => {
    using folder = new MetadataFolder([note()]);
    await using engine = await answering((secret) =>
      secret === "other" ? [200, { tables: [] }] : [401, { error: "invalid admin-secret" }],
    );
    const wrong = await routeql(folder.path, ["diff", "--endpoint", engine.url], {
      HASURA_GRAPHQL_ADMIN_SECRET: "sesame",
    });
    expect(wrong).toMatchObject(refused("answered 401: invalid admin-secret"));
    expect(wrong.stdout + wrong.stderr).not.toContain("sesame");
    expect((await routeql(folder.path, ["diff", "--endpoint", `${engine.url}/elsewhere`])).stderr).toContain(
      "The engine has no metadata API at this address.",
    );
    expect((await routeql(folder.path, ["diff", "--endpoint", "http://127.0.0.1:1"])).code).toBe(2);
    expect(
      (await routeql(folder.path, ["diff", "--endpoint", engine.url], { HASURA_GRAPHQL_ADMIN_SECRET: "other" })).code,
    ).toBe(2);
  });
});

describe("permissions of metadata with several sources", { timeout: generous }, () => {
  const source = (name: string, kind: string) =>
    `- name: ${name}\n  kind: ${kind}\n  configuration:\n    connection_info:\n      database_url:\n        from_env: ${name.toUpperCase()}_DATABASE\n  tables: "!include default/tables/tables.yaml"\n`;
  const several = { "metadata/databases/databases.yaml": source("crm", "mssql") + source("billing", "postgres") };

  const two = { "metadata/databases/databases.yaml": source("crm", "postgres") + source("billing", "postgres") };

  test("requires a database for each source or the named one, and rejects an unknown source", async () => {
    using folder = new MetadataFolder([note()], two);
    const asked = "the source crm has no database: give --database crm=URL, or set CRM_DATABASE";
    expect(await routeql(folder.path, ["permissions"])).toMatchObject(
      refused(`${asked}; the source billing has no database: give --database billing=URL, or set BILLING_DATABASE`),
    );
    for (const verb of ["permissions", "lint"])
      expect(await routeql(folder.path, [verb, "--database", "billing=postgres://127.0.0.1:1/none"])).toMatchObject(
        refused("does not answer"),
      );
    expect(await routeql(folder.path, ["permissions", "--source", "sales"])).toMatchObject(
      refused("there is no source sales; the metadata has crm, billing"),
    );
  });

  test("refuses and hides another address in a variable that the metadata names", async () => {
    using folder = new MetadataFolder([note()], two);
    const environment = { CRM_DATABASE: "https://deploy:sesame@127.0.0.1:1/", BILLING_DATABASE: "sesame" };
    for (const verb of ["permissions", "lint"]) {
      const outcome = await routeql(folder.path, [verb], environment);
      expect(outcome).toMatchObject(
        refused("CRM_DATABASE, which the metadata names for the source crm, is not the address of a database"),
      );
      expect(outcome.stdout + outcome.stderr).not.toContain("sesame");
    }
  });

  test.each([
    [["--database", "postgres://127.0.0.1:1/none?a=b"], "name the source of each database, as in --database crm=URL"],
    [["--database", "sales=postgres://127.0.0.1:1/none"], "the metadata has no source sales; it has crm, billing"],
    [
      ["--database", "crm=postgres://127.0.0.1:1/a", "--database", "crm=postgres://127.0.0.1:1/b"],
      "the database of crm is given twice",
    ],
    [["--database-file", "crm=nowhere"], "the file of --database-file cannot be read: ENOENT"],
    [
      ["--database", "crm=postgres://app:sesame@127.0.0.1:1/a", "--database", "billing=postgres://127.0.0.1:1/b"],
      "the database of crm does not answer",
    ],
  ])("%j is refused", async (args, reason) => {
    using folder = new MetadataFolder([note()], two);
    const { code, stdout, stderr } = await routeql(folder.path, ["permissions", ...args]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(reason)]);
    expect(stdout + stderr).not.toContain("sesame");
  });

  test("uses the database of the named source, and ignores sources of other kinds", async () => {
    using folder = new MetadataFolder([note()], several);
    expect(await routeql(folder.path, ["permissions", "--source", "billing"])).toMatchObject(
      refused("give --database URL"),
    );
    expect(
      await routeql(folder.path, ["permissions", "--source", "billing"], {
        BILLING_DATABASE: "postgres://127.0.0.1:1/none",
      }),
    ).toMatchObject(refused("the database does not answer"));
    expect(await routeql(folder.path, ["permissions", "--source", "crm"])).toMatchObject(
      printed(0, "the source crm is of the kind mssql"),
    );
    const check = await routeql(folder.path, ["lint"]);
    expect([check.code, check.stdout]).toEqual([
      0,
      expect.stringMatching(/databases\.yaml:2 {2}note {2}not-examined\n {2}.*the source crm is of the kind mssql/),
    ]);
  });
});
