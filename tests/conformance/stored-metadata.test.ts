import { cpSync, existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { apply, withPoolSize } from "@routeql/engine/apply-metadata/apply";
import { MetadataApi } from "@routeql/engine/apply-metadata/metadata-api";
import { loadMetadata } from "@routeql/metadata/read/load";
import { expect, test } from "vitest";
import { requireLoopback } from "../harness/containers/container-address.ts";
import { startDatabase } from "../harness/containers/database-container.ts";
import { startHasura } from "../harness/containers/hasura-container.ts";
import { mustRun } from "../harness/process.ts";
import { leftOut } from "../harness/run/left-out.ts";
import { readFixtures } from "./cases.ts";
import { startConformanceDatabase } from "./database.ts";
import { Stage, withAddresses } from "./stage.ts";

const fixtures = resolve(import.meta.dirname, "../../../shared/hasura-fixtures");

test("Hasura stores the project's metadata, and the second time without a change", async (context) => {
  requireLoopback(context);
  await using database = await startDatabase();
  await using hasura = await startHasura(context, database.getConnectionUri("bootstrap"));
  const { merged, problems } = loadMetadata(resolve(import.meta.dirname, "../../hasura-metadata"));
  expect(problems).toEqual([]);
  const wanted = withAddresses(merged, { ROUTEQL_DATABASE_URL: database.getConnectionUri("engine") });
  const api = new MetadataApi(hasura);
  expect(await apply(api, withPoolSize(wanted, 7))).toMatch(/with changes$/);
  expect(await apply(api, withPoolSize(wanted, 7))).toMatch(/equal to the former one$/);
  expect(await apply(api, withPoolSize(wanted, 8))).toMatch(/with changes$/);

  // An export gives the files back: the same tables, in the same order.
  const tablesOf = (metadata: Readonly<Record<string, unknown>>): unknown =>
    (metadata["sources"] as readonly { readonly tables: unknown }[])[0]?.tables;
  expect(tablesOf((await api.export()).metadata)).toEqual(tablesOf(wanted));
});

test("Hasura's CLI exports the files that it applied", async (context) => {
  const cli = process.env["HASURA_CLI"] ?? "";
  context.skip(cli === "", leftOut("HASURA_CLI does not name Hasura's command-line program"));
  requireLoopback(context);
  await using database = await startDatabase();
  await using hasura = await startHasura(context, database.getConnectionUri("bootstrap"), {
    ROUTEQL_DATABASE_URL: database.getConnectionUri("engine"),
  });
  const source = resolve(import.meta.dirname, "../../hasura-metadata");
  const project = mkdtempSync(join(tmpdir(), "routeql-cli-"));
  const copy = join(project, "metadata");
  cpSync(source, copy, { recursive: true });
  writeFileSync(join(project, "config.yaml"), "version: 3\nmetadata_directory: metadata\n");
  const server = ["--endpoint", hasura.address, "--admin-secret", hasura.adminSecret];
  const metadata = (verb: string): Promise<string> =>
    mustRun(cli, ["metadata", verb, "--project", project, "--skip-update-check", ...server]);
  await metadata("apply");
  rmSync(copy, { recursive: true });
  await metadata("export");

  const files = globSync("**/*.yaml", { cwd: source });
  expect(files.length).toBeGreaterThan(5);
  for (const file of files) {
    const written = readFileSync(join(source, file), "utf8").replaceAll(/^ *#.*\n/gm, "");
    expect(readFileSync(join(copy, file), "utf8"), file).toBe(written);
  }
  rmSync(project, { recursive: true });
});

test("Hasura stores the metadata of its own fixtures", { timeout: 600_000 }, async (context) => {
  context.skip(!existsSync(fixtures), "../shared/hasura-fixtures is absent");
  requireLoopback(context);
  await using database = await startConformanceDatabase();
  await using hasura = await startHasura(context, database.address);
  const api = new MetadataApi(hasura);
  const results: string[] = [];
  for (const folder of readFixtures(fixtures)) {
    // The runner leaves out permissions on mutations, without which their roles are missing.
    if (folder.unusable !== undefined || folder.name.startsWith("graphql_mutation")) continue;
    await using stage = new Stage(database.address, {});
    const result = await stage
      .prepare(folder.setup, true)
      .then(async (wanted) => {
        await apply(api, wanted);
        return apply(api, wanted);
      })
      .catch((error: Error) => error.message);
    if (!result.endsWith("equal to the former one")) results.push(`${folder.name}: ${result}`);
    await api.replace({ version: 3, sources: [] }, (await api.export()).version);
  }
  expect(results).toEqual([]);
});
