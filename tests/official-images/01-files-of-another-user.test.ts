import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { run } from "../harness/process.ts";
import { repository } from "../harness/repository.ts";
import { nameOf, type OfficialImage } from "./support/official-image.ts";

/** Starts a service's entry point on data of the images that are built here. */
async function startOnBuiltData(
  official: OfficialImage,
  service: string,
  { data, uid, variable }: { data: string; uid: number; variable: string },
) {
  const script = await readFile(join(repository, "images", service, "entrypoint.sh"), "utf8");
  const options = [
    "--network=none",
    "--user=999",
    `--tmpfs=${data}:uid=${uid},mode=0700`,
    "--hostname=a-password-for-one-test",
    `--env=${variable}=/etc/hostname`,
  ];
  return run(
    "docker",
    ["run", "--rm", "--interactive", ...options, "--entrypoint=bash", await nameOf(official), "-s"],
    { input: script },
  );
}

test("the session store names the files of another user and the remedy", async () => {
  const { code, stderr } = await startOnBuiltData("valkey", "sessions", {
    data: "/data",
    uid: 10_104,
    variable: "VALKEY_LOGIN_FILE",
  });
  expect(code).toBe(78);
  expect(stderr).toContain("sessions: user 999 may not write /data, which belongs to user 10104");
  expect(stderr).toContain("set images as it was then");
});

test("the database names the files of another user and the remedy", async () => {
  const { code, stderr } = await startOnBuiltData("postgres", "database", {
    data: "/var/lib/postgresql/data",
    uid: 10_105,
    variable: "POSTGRES_PASSWORD_FILE",
  });
  expect(code).toBe(78);
  expect(stderr).toContain("/var/lib/postgresql/data belongs to user 10105, but this is user 999");
  expect(stderr).toContain("set images as it was then, or remove the data (npm run down -- --volumes)");
});
