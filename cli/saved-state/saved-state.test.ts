import { execFile } from "node:child_process";
import { appendFile, chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { type Header, pack } from "tar-stream";
import cliPackage from "../package.json" with { type: "json" };
import { tokenOfKey, tokenOfRecipient } from "./backup-token.ts";
import { unpackState } from "./saved-state.ts";

const program = promisify(execFile);
let folder = "";
let project = "";
const path = (name: string): string => join(folder, name);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "routeql-saved-state-"));
  const request = "req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=backup".split(" ");
  await program("openssl", [...request, "-keyout", path("key.pem"), "-out", path("recipient.pem")]);
});
afterAll(() => rm(folder, { recursive: true }));
beforeEach(async () => {
  project = await mkdtemp(path("project-"));
});

interface Entry {
  readonly name: string;
  readonly type?: Header["type"];
  readonly linkname?: string;
  readonly mode?: number;
}

/** An archive that anyone with the certificate can make. */
async function forge(...entries: readonly Entry[]): Promise<Buffer> {
  const archive = pack();
  for (const entry of entries) archive.entry(entry, entry.type === undefined ? "planted" : "");
  archive.finalize();
  await writeFile(path("plain"), gzipSync(await buffer(archive)));
  const cms = ["cms", "-encrypt", "-binary", "-outform", "DER", "-aes-256-gcm"];
  await program("openssl", [...cms, "-in", path("plain"), "-out", path("state.cms"), path("recipient.pem")]);
  return readFile(path("state.cms"));
}

const unpack = async (...entries: readonly Entry[]): Promise<readonly string[]> =>
  unpackState("site", { version: cliPackage.version, content: await forge(...entries) }, path("key.pem"), project);

const state = { name: ".routeql/site/state/.pulumi/stacks/routeql/site.json" };

test("writes the files of a state, readable by their owner alone", async () => {
  const names = [state.name, ".routeql/site/passphrase", "Pulumi.site.yaml", ".env.site"];
  const folders = [".routeql/site/", ".routeql/site/state/"].map((name) => ({ name, type: "directory" as const }));
  expect(await unpack(...folders, ...names.map((name) => ({ name, mode: 0o755 })))).toEqual(names);
  for (const name of names) {
    expect(await readFile(join(project, name), "utf8")).toBe("planted");
    expect((await stat(join(project, name))).mode & 0o777).toBe(0o600);
  }
  expect((await stat(join(project, ".routeql/site"))).mode & 0o777).toBe(0o700);
});

test.each<readonly [string, Entry]>([
  ["a program", { name: "node_modules/.bin/pulumi", mode: 0o755 }],
  ["a file of the checkout", { name: "cli/main.ts" }],
  ["a workspace of Pulumi", { name: ".routeql/site/workspace/Pulumi.yaml" }],
  ["a name above the folder", { name: ".routeql/site/state/../../../.bashrc" }],
  ["an absolute name", { name: "/tmp/planted" }],
  ["a dot inside of the state", { name: ".routeql/site/state/./a" }],
  ["another stack's state", { name: ".routeql/other/passphrase" }],
  ["a symbolic link", { name: ".routeql/site/state/link", type: "symlink", linkname: "/etc" }],
  ["a symbolic link in place of a file", { name: ".env.site", type: "symlink", linkname: "/etc/passwd" }],
  ["a hard link", { name: ".routeql/site/passphrase", type: "link", linkname: "/etc/passwd" }],
  ["a device", { name: ".routeql/site/state/device", type: "character-device" }],
  ["a pipe", { name: ".routeql/site/state/pipe", type: "fifo" }],
  ["a strange folder", { name: "node_modules/", type: "directory" }],
  ["a file twice", state],
])("refuses %s, and writes nothing", async (_, entry) => {
  await expect(unpack(state, entry)).rejects.toThrow("The saved state has the entry");
  expect(await readdir(project)).toEqual([]);
});

test("leaves out what commands of earlier versions kept beside a state", async () => {
  expect(await unpack({ name: ".routeql/site/backups/old.dump" }, state)).toEqual([state.name]);
});

test("overwrites no file, and names those that exist", async () => {
  await mkdir(join(project, ".routeql/site"), { recursive: true });
  await writeFile(join(project, ".routeql/site/passphrase"), "own");
  await expect(unpack({ name: ".env.site" }, { name: ".routeql/site/passphrase" })).rejects.toThrow(
    "This checkout already has .routeql/site/passphrase",
  );
  expect(await readdir(project)).toEqual([".routeql"]);
});

test("accepts a file that the checkout has with the same content", async () => {
  const name = "Pulumi.site.yaml";
  await writeFile(join(project, name), "planted");
  expect(await unpack({ name }, { name: ".env.site" })).toEqual([name, ".env.site"]);
});

test("the token of a recipient file is that of its private key, as the page creates it", async () => {
  expect(await tokenOfRecipient(path("recipient.pem"))).toBeUndefined();
  const page = await readFile(new URL("../../docs/operate/backup.md", import.meta.url), "utf8");
  const [, command] = /^(openssl pkcs8 .* \| openssl .*) >>backup-recipient\.pem$/m.exec(page)!;
  const { stdout } = await program("bash", ["-c", command!.replace("backup-key.pem", '"$0"'), path("key.pem")]);
  await appendFile(path("recipient.pem"), stdout);
  await chmod(path("recipient.pem"), 0o644);
  await expect(tokenOfRecipient(path("recipient.pem"))).rejects.toThrow("other users can read or write it");
  await chmod(path("recipient.pem"), 0o600);
  expect(await tokenOfRecipient(path("recipient.pem"))).toEqual(await tokenOfKey(path("key.pem")));
});
