import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

// Each rendering is a process that loads the whole program: it takes seconds, or 20 s on a busy machine.
vi.setConfig({ testTimeout: 300_000 });

const main = resolve(import.meta.dirname, "../main.ts");
let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "routeql-render-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the command as `npm run render` does, with these lines as the environment file. */
function render(lines: readonly string[], ...args: readonly string[]): Promise<Ended> {
  const file = join(folder, "settings.env");
  writeFileSync(file, lines.map((line) => `${line}\n`).join(""));
  const environment = { ...process.env, ROUTEQL_ENVIRONMENT_FILE: file, NO_COLOR: "1" };
  return new Promise((done) => {
    execFile(process.execPath, [main, "render", ...args], { env: environment }, (error, stdout, stderr) => {
      done({ code: error === null ? 0 : Number(error.code), stdout, stderr });
    });
  });
}

const embedded = ["TARGET=kubernetes", "ENGINE=embedded", "PUBLIC_HOST=routes.example.net"];
const out = (): string => join(folder, "manifests");

test("writes the manifests and the list of images, and deletes those of an earlier run", async () => {
  expect(await render(embedded, "--stack", "rendered", "--out", out())).toMatchObject({ code: 0, stderr: "" });
  const first = readdirSync(out(), { recursive: true }).map(String).toSorted();
  expect(first).toContain("13-sessions.yaml");
  const images = readFileSync(join(out(), "images.txt"), "utf8");
  expect(images.split("\n")).toContainEqual(expect.stringMatching(/^routeql\/engine:[0-9a-f]{12}$/));

  writeFileSync(join(out(), "notes.md"), "own notes\n");
  const outside = [
    ...embedded,
    "SESSIONS=external",
    "SESSIONS_URL=redis://:hidden-in-the-file@sessions.example.net",
    "ARCHIVE_DIRECTORY=/srv/archive",
  ];
  const { code, stdout } = await render(outside, "--stack", "rendered", "--out", out());
  expect(code).toBe(0);
  expect(stdout).toContain("in the Secret given-secrets: sessionsUrl.");
  expect(stdout).toContain("\nWarning: On Kubernetes these settings have no effect: ARCHIVE_DIRECTORY. Remove them.\n");
  const second = readdirSync(out(), { recursive: true }).map(String);
  expect(second).not.toContain("13-sessions.yaml");
  expect(second).toContain("notes.md");
  const files = readdirSync(out(), { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  for (const { parentPath, name } of files)
    expect(readFileSync(join(parentPath, name), "utf8")).not.toContain("hidden-in-the-file");
});

test("leaves a folder with other files alone", async () => {
  mkdirSync(out());
  writeFileSync(join(out(), "00-namespace.yaml"), "a foreign file");
  const { code, stderr } = await render(embedded, "--stack", "rendered", "--out", out());
  expect(code).toBe(1);
  expect(stderr).toContain(`${out()} contains other files`);
  expect(readdirSync(out())).toEqual(["00-namespace.yaml"]);
});

test("pins each image by the digests of a file, and rejects a file without one of them", async () => {
  expect((await render(embedded, "--stack", "rendered", "--out", out())).stdout).toContain(
    "follow from the base images",
  );
  const list = join(out(), "images.txt");
  const images = readFileSync(list, "utf8").trim().split("\n");
  const pinned = images.map((image) => `${image}@sha256:${"5".repeat(64)}`);
  const file = join(folder, "pinned.txt");
  writeFileSync(file, `${pinned.slice(1).join("\n")}\n`);
  const { code, stderr } = await render(embedded, "--stack", "rendered", "--out", out(), "--digests", file);
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: expect.stringContaining(`has no digest for ${images[0]}`) as string,
  });
  expect(stderr).not.toContain("    at ");
  writeFileSync(file, `${images[0]}\n`);
  const unread = await render(embedded, "--stack", "rendered", "--out", out(), "--digests", file);
  expect(unread.stderr).toContain(`${file}:1 has no digest: ${images[0]}`);
  expect(unread.stderr).not.toContain("    at ");
  writeFileSync(file, `${pinned.join("\n")}\n`);
  expect(await render(embedded, "--stack", "rendered", "--out", out(), "--digests", file)).toMatchObject({ code: 0 });
  expect(readFileSync(list, "utf8").trim().split("\n")).toEqual(pinned);
});

test("rejects a stack on Docker and invalid settings, with the remedy", async () => {
  expect((await render([], "--stack", "rendered")).stderr).toContain(
    "The stack rendered runs on Docker, which has no manifests",
  );
  const wrong = await render([...embedded, "GATEWAY_SERVICE=Ingress"], "--stack", "rendered");
  expect(wrong.code).toBe(1);
  expect(wrong.stderr).toContain("GATEWAY_SERVICE must be one of LoadBalancer, NodePort, ClusterIP");
  const incomplete = await render([], "--stack", "prod");
  expect(incomplete.code).toBe(1);
  for (const name of ["publicHost", "imageRegistry", "certificateIssuer"]) expect(incomplete.stderr).toContain(name);
});
