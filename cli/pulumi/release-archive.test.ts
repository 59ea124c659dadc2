import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { buffer } from "node:stream/consumers";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { gzipSync } from "node:zlib";
import { pack } from "tar-stream";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { acquireCli, type CliSources } from "./acquire.ts";
import { pinnedRelease, type Release } from "./release-archive.ts";

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

const version = "3.999.0";
const builtVersion = "3.998.0";
const authorities = getCACertificates("default");
let site: Server;
let answer: Answer;
let folder = "";
let said: string[] = [];
let built: string[] = [];

const program = (answered: string): string => `#!/bin/sh\necho v${answered}\n`;

/** An archive like Pulumi's: the programs in one folder, with language hosts beside the CLI. */
async function archiveOf(name: string, content: string): Promise<Buffer> {
  const archive = pack();
  archive.entry({ name: "pulumi/", type: "directory" });
  archive.entry({ name: "pulumi/pulumi-language-nodejs", mode: 0o755 }, program("0.0.0"));
  archive.entry({ name, mode: 0o755 }, content);
  archive.finalize();
  return gzipSync(await buffer(archive));
}

const hashOf = (content: Buffer): string => createHash("sha256").update(content).digest("hex");

/** A site over TLS, whose certificate this process trusts. */
beforeAll(async () => {
  const keys = mkdtempSync(join(tmpdir(), "routeql-site-"));
  const [key, cert] = [join(keys, "key.pem"), join(keys, "certificate.pem")] as const;
  const names = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"];
  const kind = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"];
  execFileSync("openssl", ["req", "-x509", ...kind, ...names, "-keyout", key, "-out", cert], { stdio: "ignore" });
  const identity = { key: readFileSync(key, "utf8"), cert: readFileSync(cert, "utf8") };
  rmSync(keys, { recursive: true });
  setDefaultCACertificates([...authorities, identity.cert]);
  site = createServer(identity, (request, response) => answer(request, response));
  site.listen(0, "127.0.0.1");
  await once(site, "listening");
});
afterAll(() => {
  setDefaultCACertificates(authorities);
  site.closeAllConnections();
  site.close();
});

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "routeql-release-"));
  said = [];
  built = [];
  vi.stubEnv("PATH", "/usr/bin:/bin");
  vi.stubEnv("XDG_CACHE_HOME", folder);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

const builder: CliSources["builder"] = {
  cliVersion: builtVersion,
  buildCli: async (root) => {
    built.push(root);
    const file = join(root, "bin/pulumi");
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, program(builtVersion), { mode: 0o755 });
  },
};

const releaseOf = (content: Buffer, changes: Partial<Release> = {}): Release => ({
  version,
  url: `https://localhost:${(site.address() as AddressInfo).port}/pulumi.tar.gz`,
  sha256: hashOf(content),
  silenceMilliseconds: 60_000,
  ...changes,
});

const acquire = async (sources: CliSources): Promise<string> => {
  const work = {
    say: (text: string) => said.push(text),
    show: () => undefined,
    onLine: () => undefined,
    signal: new AbortController().signal,
  };
  return (await acquireCli(work, sources)).origin;
};

test("installs the CLI of an archive whose hash is pinned, and downloads it once", async () => {
  const content = await archiveOf("pulumi/pulumi", program(version));
  let requests = 0;
  answer = (_, response) => {
    requests++;
    response.end(content);
  };
  const release = releaseOf(content);
  expect(await acquire({ release, builder })).toBe(`${version} from Pulumi's site`);
  expect(await acquire({ release, builder })).toBe(`${version} from the cache`);
  expect({ requests, built }).toEqual({ requests: 1, built: [] });
  expect(readdirSync(join(folder, "routeql/pulumi", version))).toEqual(["bin"]);
  expect(readdirSync(join(folder, "routeql/pulumi", version, "bin"))).toEqual(["pulumi"]);
});

const half = (content: Buffer): Buffer => content.subarray(0, content.length / 2);

interface Case {
  readonly title: string;
  readonly reason: RegExp;
  readonly answers: (content: Buffer) => Answer;
  readonly changes?: Partial<Release>;
}

test.each<Case>([
  {
    title: "ends early",
    reason: /cannot be used: /,
    answers: (content) => (_, response) => {
      response.writeHead(200, { "content-length": content.length });
      response.write(half(content), () => response.destroy());
    },
  },
  {
    title: "ends early without a stated length",
    reason: /its SHA-256 is [0-9a-f]{64} instead of [0-9a-f]{64}/,
    answers: (content) => (_, response) => void response.end(half(content)),
  },
  {
    title: "has another hash",
    reason: /its SHA-256 is/,
    answers: (content) => (_, response) => void response.end(content),
    changes: { sha256: "0".repeat(64) },
  },
  {
    title: "redirects",
    reason: /answered with status 302/,
    answers: (content) => (request, response) => {
      if (request.url === "/elsewhere") response.end(content);
      else response.writeHead(302, { location: "/elsewhere" }).end();
    },
  },
  {
    title: "does not have the file",
    reason: /answered with status 404/,
    answers: () => (_, response) => void response.writeHead(404).end(),
  },
  {
    title: "never answers",
    reason: /no data for 0.2 s/,
    answers: () => () => undefined,
    changes: { silenceMilliseconds: 200 },
  },
  {
    title: "stops in the middle",
    reason: /no data for 1 s/,
    answers: (content) => (_, response) => {
      response.writeHead(200, { "content-length": content.length });
      response.write(half(content));
    },
    changes: { silenceMilliseconds: 1_000 },
  },
])("a site that $title ends in the build, and without offline/ in an error", async ({ reason, answers, changes }) => {
  const content = await archiveOf("pulumi/pulumi", program(version));
  answer = answers(content);
  const release = releaseOf(content, changes);
  await expect(acquire({ release, builder: undefined })).rejects.toMatchObject({
    name: "Failure",
    message: expect.stringContaining("There is no Pulumi CLI") as unknown,
    lastLines: [expect.stringMatching(reason) as unknown],
    remedy: expect.stringContaining("make https://get.pulumi.com reachable") as unknown,
  });
  expect(built).toEqual([]);
  expect(await acquire({ release, builder })).toBe(`${builtVersion}, built from Go modules`);
  expect(said.at(-1)).toMatch(reason);
  expect(readdirSync(join(folder, "routeql/pulumi", version), { recursive: true })).toEqual(["bin"]);
});

test.each([
  ["without the CLI", "pulumi/another", version, "contains no file pulumi/pulumi"],
  ["with a CLI of another version", "pulumi/pulumi", "3.100.0", "does not answer with its version 3.999.0"],
])("an archive %s ends in the build", async (_, name, answered, reason) => {
  const content = await archiveOf(name, program(answered));
  answer = (_request, response) => void response.end(content);
  expect(await acquire({ release: releaseOf(content), builder })).toBe(`${builtVersion}, built from Go modules`);
  expect(said.at(-1)).toContain(reason);
});

test("a site whose certificate has another name ends in the build", async () => {
  const content = await archiveOf("pulumi/pulumi", program(version));
  answer = (_, response) => void response.end(content);
  const { port } = site.address() as AddressInfo;
  // The certificate names localhost alone.
  const release = releaseOf(content, { url: `https://127.0.0.1:${port}/pulumi.tar.gz` });
  expect(await acquire({ release, builder })).toBe(`${builtVersion}, built from Go modules`);
  expect(said.at(-1)).toContain("cannot be used");
});

test("a platform without a pinned archive ends in the build", async () => {
  expect(pinnedRelease("darwin", "arm64")).toBeUndefined();
  expect(await acquire({ release: undefined, builder })).toBe(`${builtVersion}, built from Go modules`);
  expect(existsSync(join(folder, "routeql/pulumi", builtVersion, "bin/pulumi"))).toBe(true);
});

test.each(["x64", "arm64"])("the archive for Linux on %s is pinned", (architecture) => {
  expect(pinnedRelease("linux", architecture)).toMatchObject({
    url: expect.stringMatching(
      new RegExp(`^https://get\\.pulumi\\.com/releases/sdk/pulumi-v[\\d.]+-linux-${architecture}\\.tar\\.gz$`),
    ) as unknown,
    sha256: expect.stringMatching(/^[0-9a-f]{64}$/) as unknown,
    silenceMilliseconds: 5_000,
  });
});
