import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { gunzipSync } from "node:zlib";
import { text } from "node:stream/consumers";
import { extract } from "tar-stream";
import { expect, test } from "vitest";
import { Failure } from "@routeql/host/failure";
import type { PlainSettings } from "@routeql/infra/settings/list";
import { withDefaults } from "@routeql/infra/settings/reading/complete";
import type { LogReader } from "../logs/logs.ts";
import { scrubber, serviceLogs, settingsWithoutSecrets, textsIn, withoutAddresses, writeBundle } from "./bundle.ts";

const secret = 'p"ss/word+1234';

test.each([
  ["as it is", secret],
  ["in JSON", JSON.stringify({ secret })],
  ["in a URL", `https://a:${encodeURIComponent(secret)}@b`],
  ["in base64", Buffer.from(secret).toString("base64")],
  ["in hexadecimal", Buffer.from(secret).toString("hex")],
])("removes a secret %s", (_, spelled) => {
  const scrubbed = scrubber(["short", secret])(`before ${spelled} after short`);
  expect(scrubbed).toContain("[redacted]");
  expect(scrubbed).not.toContain("1234");
  expect(scrubbed).toMatch(/^before .* after short$/);
});

test("shows no secret setting, no password of an address and no text of a key", () => {
  const key = "-----BEGIN PRIVATE KEY-----\\nMIIEvQ\\n-----END PRIVATE KEY-----";
  const given = { ldapBindPassword: secret, tlsPrivateKeyFile: key, tlsCertificateFile: "/etc/a.pem" };
  const plain: PlainSettings = { ...withDefaults(given, "site"), feedUrl: "wss://a:word-1234@feed.example.net" };
  const shown = settingsWithoutSecrets({ plain, given });
  expect(shown).toMatchObject({
    ldapBindPassword: "[given, secret]",
    tlsPrivateKeyFile: "[given, text in PEM form]",
    tlsCertificateFile: "/etc/a.pem",
  });
  expect(JSON.stringify(shown)).not.toMatch(/MIIEvQ|1234/);
});

test("numbers e-mail addresses, each once", () => {
  const number = withoutAddresses();
  expect(number('{"user":"Ada.L+1@example.net"} bob@mail.example.co.uk')).toBe('{"user":"[address 1]"} [address 2]');
  expect(number("ada.l+1@EXAMPLE.net failed")).toBe("[address 1] failed");
  expect(number("postgres:17@sha256:0a1b user@host http://a@b")).toBe("postgres:17@sha256:0a1b user@host http://a@b");
});

test("no file that a command writes into the checkout can be committed", async () => {
  const { execFileSync } = await import("node:child_process");
  const names = [
    "routeql-support-site-2026.tar.gz",
    "routeql-site-2026.dump",
    "routeql.tar",
    "backup-key.pem",
    "backup-recipient.pem",
  ];
  const ignored = execFileSync("git", ["check-ignore", ...names], { encoding: "utf8", cwd: import.meta.dirname });
  expect(ignored.trim().split("\n")).toEqual(names);
});

test("finds the texts in nested values", () => {
  expect(textsIn({ a: "1", b: [{ c: "2" }, 3, null] })).toEqual(["1", "2"]);
});

test("writes an archive that only its owner can read, and no file twice", async () => {
  const folder = await mkdtemp(join(tmpdir(), "routeql-support-"));
  try {
    const file = join(folder, "bundle.tar.gz");
    await writeBundle(file, "bundle", [
      { name: "status.txt", text: "fine\n" },
      { name: "logs/engine.log", text: "é\n" },
    ]);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const found: Record<string, string> = {};
    for await (const entry of Readable.from([gunzipSync(await readFile(file))]).pipe(extract()))
      found[entry.header.name] = await text(entry);
    expect(found).toEqual({ "bundle/status.txt": "fine\n", "bundle/logs/engine.log": "é\n" });
    await expect(writeBundle(file, "bundle", [])).rejects.toThrow(/exists already/);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test("a log that cannot be read ends with the reason, beside all other logs", async () => {
  const reader = (service: string, read: LogReader["read"]): LogReader => ({
    service,
    container: service,
    label: service,
    read,
  });
  const readers = [
    reader("engine", () => Promise.reject(new Failure("its file was deleted"))),
    reader("front", async (onLine) => onLine("one")),
  ];
  expect(await serviceLogs({ logs: async () => readers }, 10, new AbortController().signal)).toEqual([
    { name: "logs/engine.log", text: "its file was deleted\n" },
    { name: "logs/front.log", text: "one\n" },
  ]);
});
