import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { lostFileProblems, privateFileProblems } from "./private-files.ts";

test("names files with secrets that other users can read", async () => {
  const folder = await mkdtemp(join(tmpdir(), "routeql-private-"));
  const paths = { folder, accessFile: join(folder, "access.env"), passphrase: join(folder, "passphrase") };
  try {
    await writeFile(paths.accessFile, "secret", { mode: 0o600 });
    await chmod(paths.accessFile, 0o644);
    expect(await privateFileProblems(paths)).toEqual([]);
    await chmod(folder, 0o755);
    expect(await privateFileProblems(paths)).toEqual([
      {
        subject: "files",
        reason: `other users of this machine can read ${paths.accessFile}`,
        // As the warning of `npm run up`: some file systems store no modes.
        next: `chmod -R go= '${folder}'; if that changes nothing, move the checkout to a file system with modes (on WSL2 below your home)`,
      },
    ]);
    await chmod(paths.accessFile, 0o600);
    expect(await privateFileProblems(paths)).toEqual([]);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test("names a lost state and a lost passphrase", async () => {
  const folder = await mkdtemp(join(tmpdir(), "routeql-lost-"));
  const paths = { folder, passphrase: join(folder, "passphrase"), state: join(folder, "state") };
  const stacks = join(paths.state, ".pulumi/stacks/routeql");
  const reasons = async (): Promise<string[]> => (await lostFileProblems(paths, "dev")).map(({ reason }) => reason);
  try {
    expect(await reasons()).toEqual([
      `the secrets of the stack need ${paths.passphrase}, which is lost`,
      `the secrets of the stack need ${join(stacks, "dev.json")}, which is lost`,
    ]);
    await mkdir(stacks, { recursive: true });
    await writeFile(paths.passphrase, "secret");
    await writeFile(join(stacks, "dev.json"), "{}");
    expect(await reasons()).toEqual([]);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test.each([
  ["EROFS", "findmnt --target '/nowhere/state' shows the file system, which is read-only"],
  ["EACCES", "ls -ld '/nowhere/state'"],
])("names a state folder that an update cannot write: %s", async (code, next) => {
  const paths = { folder: "/nowhere/state", passphrase: "/dev/null", state: "/nowhere" };
  const refuse = (): Promise<void> => Promise.reject(Object.assign(new Error(code), { code }));
  expect((await lostFileProblems(paths, "dev", refuse)).at(-1)).toEqual({
    subject: "files",
    reason: `the next update fails, because /nowhere/state cannot be written (${code})`,
    next,
  });
});
