import { chmodSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findProgram } from "@routeql/host/apt";
import { expect, test } from "vitest";
import { run } from "../harness/process.ts";

test("checkers that are missing and cannot be installed skip their files, with the reason", async () => {
  const folder = mkdtempSync(join(tmpdir(), "routeql-programs-"));
  try {
    symlinkSync((await findProgram("git"))!, join(folder, "git"));
    writeFileSync(join(folder, "apt-get"), "#!/bin/sh\nexit 100\n");
    chmodSync(join(folder, "apt-get"), 0o755);
    const env = { PATH: folder, HOME: folder };
    const { code, stdout } = await run(process.execPath, [join(import.meta.dirname, "scripts.ts")], { env });
    expect(code).toBe(0);
    for (const program of ["shellcheck", "gawk"]) expect(stdout).toContain(`skipped: ${program} is missing`);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
