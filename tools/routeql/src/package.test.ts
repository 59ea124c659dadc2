import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { mustRun, run } from "../../../tests/harness/process.ts";
import { MetadataFolder, sound, tableFile } from "./testing/metadata-folder.ts";

const workspace = resolve(import.meta.dirname, "..");

test("what would be published runs on its own: the built program, the command and the libraries that the package names", { timeout: 120_000 }, async () => {
  const published = mkdtempSync(join(tmpdir(), "routeql-package-"));
  try {
    await mustRun(process.execPath, [join(workspace, "build.ts"), join(published, "dist")]);
    cpSync(join(workspace, "bin"), join(published, "bin"), { recursive: true });
    cpSync(join(workspace, "package.json"), join(published, "package.json"));
    const { dependencies, version } = JSON.parse(readFileSync(join(workspace, "package.json"), "utf8")) as { dependencies: Record<string, string>; version: string };
    // The libraries' own libraries are found beside them, where the links lead.
    mkdirSync(join(published, "node_modules"));
    for (const name of Object.keys(dependencies)) symlinkSync(resolve(workspace, "../../node_modules", name), join(published, "node_modules", name));
    using folder = new MetadataFolder([tableFile("note", sound)]);
    const command = join(published, "bin/routeql.js");
    expect(await run(process.execPath, [command, "--version"], { cwd: folder.path })).toMatchObject({ code: 0, stdout: `${version}\n` });
    expect(await run(process.execPath, [command, "check"], { cwd: folder.path })).toMatchObject({ code: 0, stdout: expect.stringContaining("no findings") as string });
  } finally {
    rmSync(published, { recursive: true });
  }
});
