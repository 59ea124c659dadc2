import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { execa } from "execa";
import { expect, test } from "vitest";

const repository = resolve(import.meta.dirname, "../..");
/** The packages of this repository that the engine imports, itself included. */
const own = ["engine", "packages/contract", "packages/metadata", "packages/tracing"];

test("the packed engine runs in an empty folder, outside of the repository", { timeout: 120_000 }, async () => {
  const folder = mkdtempSync(join(tmpdir(), "routeql-engine-"));
  try {
    await execa("npm", ["pack", "--pack-destination", folder, ...own.flatMap((path) => ["-w", path])], {
      cwd: repository,
    });
    const scope = join(folder, "node_modules/@routeql");
    mkdirSync(scope, { recursive: true });
    for (const tarball of readdirSync(folder).filter((name) => name.endsWith(".tgz"))) {
      const name = /^routeql-(.+)-\d+\.\d+\.\d+\.tgz$/.exec(tarball)?.[1] ?? tarball;
      const target = join(folder, name);
      mkdirSync(target);
      // A link, because Node strips no types of files in node_modules.
      symlinkSync(target, join(scope, name));
      await execa("tar", ["--extract", "--strip-components=1", "--directory", target, "--file", join(folder, tarball)]);
    }
    expect(readdirSync(scope).toSorted()).toEqual(["contract", "engine", "metadata", "tracing"]);
    // Its libraries come from npm: here the installed ones, and none of the project's own packages.
    for (const name of readdirSync(join(repository, "node_modules")).filter((name) => !/^(\.|@routeql$)/.test(name)))
      symlinkSync(join(repository, "node_modules", name), join(folder, "node_modules", name));
    cpSync(join(repository, "hasura-metadata"), join(folder, "declared"), { recursive: true });
    writeFileSync(
      join(folder, "use.ts"),
      `import { createEngine, EngineError } from "@routeql/engine";
       const url = "postgres://nobody@127.0.0.1:1/none";
       const environment = { ROUTEQL_DATABASE_URL: url };
       const error = await createEngine({ metadata: "declared", environment }).catch((reason: unknown) => reason);
       console.log(error instanceof EngineError ? "EngineError: " + error.message : error);`,
    );
    const { stdout } = await execa(process.execPath, ["use.ts"], { cwd: folder, reject: false });
    // It has read and validated the metadata; the database at a closed port is the first failure.
    expect(stdout).toBe("EngineError: connection error");
  } finally {
    rmSync(folder, { recursive: true });
  }
});
