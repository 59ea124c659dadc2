import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { foreignVariables, missingIdentity, unusableTemporaryFolders } from "./environment.mjs";

test("finds variables of another database, repository, project and gRPC proxy", () => {
  const others = ["PGHOST", "PGSSLMODE", "PGOPTIONS", "PGPASSFILE", "PGCLIENTENCODING", "PGSSLNEGOTIATION", "GIT_DIR"];
  const ofPulumi = ["PULUMI_OPTION_TARGET", "PULUMI_STACK", "PULUMI_ACCESS_TOKEN", "PULUMI_CONFIG_PASSPHRASE_FILE"];
  const more = ["GIT_INDEX_FILE", "GIT_WORK_TREE", "grpc_proxy", "no_grpc_proxy", ...ofPulumi];
  expect(foreignVariables(Object.fromEntries([...others, ...more].map((name) => [name, "x"])))).toEqual([
    ...others,
    ...more,
  ]);
});

test("keeps variables of this machine", () => {
  const kept = ["PATH", "PGPKEY", "GIT_SSH_COMMAND", "GIT_CONFIG_COUNT", "https_proxy", "DOCKER_HOST", "PULUMI_HOME"];
  kept.push("PULUMI_K8S_CLIENT_QPS", "PULUMI_CONFIG_PASSPHRASE");
  expect(foreignVariables(Object.fromEntries(kept.map((name) => [name, "x"])))).toEqual([]);
});

const anna = () => ({ username: "anna", homedir: "/home/anna" });

test("sets HOME and USER from the account, where they are missing", () => {
  expect(missingIdentity({ HOME: "/srv", USER: "bob" }, "/srv/routeql", anna)).toEqual({});
  expect(missingIdentity({}, "/srv/routeql", anna)).toEqual({ HOME: "/home/anna", USER: "anna" });
  expect(missingIdentity({ HOME: "", USER: "bob" }, "/srv/routeql", anna)).toEqual({ HOME: "/home/anna" });
});

test("gives a user without an account a home in the checkout and a name", () => {
  expect(missingIdentity({}, "/srv/routeql", () => undefined)).toEqual({
    HOME: "/srv/routeql/.tools/home",
    USER: `user-${process.getuid?.()}`,
  });
  expect(missingIdentity({ HOME: "/" }, "/srv/routeql", () => undefined)).toEqual({ USER: expect.any(String) });
});

test("finds variables that name no writable folder for temporary files", () => {
  const folder = mkdtempSync(join(tmpdir(), "routeql-temporary-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "file");
  writeFileSync(file, "");
  expect(unusableTemporaryFolders({ TMPDIR: folder, TMP: "" })).toEqual([]);
  expect(unusableTemporaryFolders({ TMPDIR: join(folder, "none"), TMP: folder, TEMP: file })).toEqual([
    "TMPDIR",
    "TEMP",
  ]);
});
