import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { stackArgument } from "../foundation/command.ts";
import { SettingsError } from "@routeql/infra/settings/reading/error";
import { authorityFileProblems, certificateFileProblems, refusedSettings } from "./certificate-files.ts";
import { asFailure } from "./configuration.ts";

const settingsIn = (folder: string) => ({
  publicHost: "routes.example.net",
  tlsCertificateFile: join(folder, "cert.pem"),
  tlsPrivateKeyFile: join(folder, "key.pem"),
  tlsCaFile: undefined,
});

test("names a private key that others can read, and files that the next update refuses", async () => {
  const folder = await mkdtemp(join(tmpdir(), "routeql-certificate-"));
  const settings = settingsIn(folder);
  try {
    await chmod(folder, 0o755);
    const reasons = async (): Promise<string[]> =>
      (await certificateFileProblems(settings, "local")).map(({ reason }) => reason);
    expect(await certificateFileProblems({ ...settings, tlsCertificateFile: undefined }, "local")).toEqual([]);
    await writeFile(settings.tlsPrivateKeyFile, "no key");
    await chmod(settings.tlsPrivateKeyFile, 0o644);
    expect(await reasons()).toEqual([
      `other users of this machine can read the private key ${settings.tlsPrivateKeyFile}`,
      expect.stringMatching(/^the next update refuses tlsCertificateFile: it .*/) as string,
      expect.stringMatching(/^the next update refuses tlsPrivateKeyFile: it .*/) as string,
    ]);
    await chmod(settings.tlsPrivateKeyFile, 0o640);
    expect(await reasons()).toHaveLength(2);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test("accepts a key that others could read in a folder that is closed to them", async () => {
  const folder = await mkdtemp(join(tmpdir(), "routeql-certificate-"));
  const settings = settingsIn(folder);
  const store = join(folder, "archive");
  const key = join(store, "it's a key.pem");
  const problems = () => certificateFileProblems(settings, "local", () => undefined);
  try {
    await mkdir(store, { mode: 0o700 });
    await writeFile(key, "key");
    await chmod(key, 0o644);
    await symlink(key, settings.tlsPrivateKeyFile);
    await chmod(folder, 0o755);
    expect(await problems()).toEqual([]);
    await chmod(store, 0o711);
    expect(await problems()).toEqual([
      {
        subject: "files",
        reason: `other users of this machine can read the private key ${settings.tlsPrivateKeyFile}`,
        next: `chmod o= '${settings.tlsPrivateKeyFile}'; if that changes nothing, move the file to a file system with modes (on WSL2 below your home)`,
      },
    ]);
    await chmod(folder, 0o700);
    expect(await problems()).toEqual([]);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test("names a lost file of an authority", () => {
  expect(authorityFileProblems({ ldapCaFile: "/nowhere/ca.pem" })).toEqual([
    {
      subject: "certificate files",
      reason: expect.stringMatching(/^the next update refuses ldapCaFile: it .*/) as string,
      next: "renew or correct the file: docs/operate/your-files.md#certificates",
    },
  ]);
  expect(authorityFileProblems({})).toEqual([]);
});

test("names written settings that the next update refuses, such as a lost file", () => {
  const refused = asFailure(
    new SettingsError([
      { name: "FEED_CONFIGURATION", place: ".env, line 3", problem: "cannot be read (ENOENT)" },
      { name: "environmentFile", place: ".env", problem: "cannot be read (EACCES)" },
      { name: "publicHost", place: "required by a public stack", problem: "is localhost" },
    ]),
  );
  expect(refusedSettings(refused).map(({ reason }) => reason)).toEqual([
    "the next update refuses FEED_CONFIGURATION (.env, line 3): it cannot be read (ENOENT)",
    "the next update refuses environmentFile (.env): it cannot be read (EACCES)",
  ]);
  expect(refusedSettings(new Error("another"))).toEqual([]);
});

test("reports a check of the certificate that fails, and does not fail itself", async () => {
  const check = () => {
    throw new Error("OpenSSL gave no verdict within 30 s");
  };
  expect(await certificateFileProblems(settingsIn("/nowhere"), "lab", check)).toEqual([
    {
      subject: "certificate files",
      reason: "cannot be checked: OpenSSL gave no verdict within 30 s",
      next: `npm run preview${stackArgument("lab")}`,
    },
  ]);
});
