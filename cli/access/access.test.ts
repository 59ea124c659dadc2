import { execFileSync } from "node:child_process";
import { X509Certificate } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { StackPaths } from "@routeql/host/paths";
import fc from "fast-check";
import { expect, test } from "vitest";
import { accessText, modeWarnings, parseAccessText, type StackAccess, writeAccess } from "./access.ts";

const access = (values: Partial<StackAccess>): StackAccess => ({
  stack: "local",
  url: "https://localhost",
  consoleUrl: undefined,
  caFile: "/x/ca.pem",
  serviceApiKey: "key",
  engineAccessKey: "master",
  adminEmail: "admin@example.net",
  adminPassword: "pw",
  ...values,
});

test("a shell that sources access.env gets the exact values, with any characters", () => {
  const adminPassword = `it's "$HOME" \`id\` \\ !$(false);&|#`;
  const caFile = "/a folder/it's/ca.pem";
  const print = `printf '%s|%s|%s' "$ADMIN_PASSWORD" "$ROUTEQL_CA_FILE" "$ROUTEQL_CONSOLE_URL"`;
  const script = accessText(access({ adminPassword, caFile })) + print;
  expect(execFileSync("sh", ["-c", script], { encoding: "utf8", env: {} })).toBe(`${adminPassword}|${caFile}|`);
});

test("reads back the written values", () => {
  const value = fc.string({ unit: "grapheme" }).filter((text) => !/[\n\r\0]/.test(text));
  fc.assert(
    fc.property(value, value, (adminPassword, serviceApiKey) => {
      const read = parseAccessText(accessText(access({ adminPassword, serviceApiKey })));
      expect(read.get("ADMIN_PASSWORD")).toBe(adminPassword);
      expect(read.get("SERVICE_API_KEY")).toBe(serviceApiKey);
      expect(read.has("ROUTEQL_CONSOLE_URL")).toBe(false);
    }),
  );
});

test("with a publicly trusted issuer, the file sets no certificate authority", async () => {
  const folder = mkdtempSync(join(tmpdir(), "routeql-access-"));
  try {
    const paths = { accessFile: join(folder, "access.env"), certificateFile: join(folder, "ca.pem") } as StackPaths;
    const { caFile: _caFile, ...rest } = access({});
    const database = { host: "database", port: 5432, name: "routeql", secondLogins: false, clientImage: "" };
    const values = {
      ...rest,
      databasePasswords: {
        owner: "",
        engine: "",
        sidecar: "",
        loader: "",
        backup: "",
        metadata: "",
        monitor: "",
        feed: "",
      },
      database,
      services: [],
    };
    await writeAccess("local", paths, { ...values, caCertificate: "OF THE STACK" });
    expect(readFileSync(paths.certificateFile, "utf8")).toBe("OF THE STACK");
    await writeAccess("local", paths, { ...values, caCertificate: "" });
    expect(new X509Certificate(readFileSync(paths.certificateFile)).ca).toBe(true);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("secrets that other users can read cause a warning, e.g. on a file system without modes", async () => {
  const folder = await mkdtemp(join(tmpdir(), "routeql-modes-"));
  const file = join(folder, "access.env");
  await writeFile(file, "");
  await chmod(file, 0o777);
  expect(await modeWarnings(file)).toEqual([expect.stringContaining(`Other users can read ${file}`)]);
  await chmod(file, 0o600);
  expect(await modeWarnings(file)).toEqual([]);
  await rm(folder, { recursive: true });
});
