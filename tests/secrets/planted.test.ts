import { randomBytes } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { expect, test } from "vitest";
import { mustRun } from "../harness/process.ts";
import { runId, runLabel } from "../harness/run/run.ts";
import { layersOf } from "./images.ts";
import { Scanner, shortest } from "./scanner.ts";
import { spellings } from "./spellings.ts";

const planted = `planted/${randomBytes(12).toString("base64")}+?`;
const others = Array.from({ length: 200 }, (_, index) => ({
  name: `other ${index}`,
  value: randomBytes(24).toString("hex"),
}));
const scanner = new Scanner([...others, { name: "planted", value: planted }]);
const noise = (): string => randomBytes(5000).toString("base64");

test.each([
  ["as it is", planted],
  ["in an address", encodeURIComponent(planted)],
  ["in JSON", JSON.stringify({ key: planted })],
  ["in base64", Buffer.from(planted).toString("base64")],
  ["in the middle of base64", Buffer.from(`user:${planted}\n`).toString("base64")],
  ["in base64url", Buffer.from(`{"a":"${planted}"}`).toString("base64url")],
  ["in hexadecimal", Buffer.from(planted).toString("hex")],
  ["in upper-case hexadecimal", Buffer.from(`x${planted}`).toString("hex").toUpperCase()],
])("finds a planted secret %s", (_, spelled) => {
  expect([...scanner.inBytes(Buffer.from(`${noise()} ${spelled} ${noise()}`))]).toEqual(["planted"]);
});

test("finds a planted secret across the chunks of a stream", async () => {
  const text = Buffer.from(`${noise()} ${planted} ${noise()}`);
  for (const size of [1, 7, 64, 4096]) {
    const pieces = Array.from({ length: Math.ceil(text.length / size) }, (_, index) =>
      text.subarray(index * size, (index + 1) * size),
    );
    expect(await scanner.inStream(Readable.from(pieces))).toEqual({ found: new Set(["planted"]), bytes: text.length });
  }
});

test("finds nothing without a planted secret", () => {
  expect([...scanner.inBytes(Buffer.from(noise()))]).toEqual([]);
  expect([...scanner.inBytes(Buffer.from(planted.slice(1)))]).toEqual([]);
});

test("rejects a secret that is too short for the search", () => {
  expect(() => new Scanner([{ name: "short", value: "a".repeat(shortest - 1) }])).toThrow(
    "the secret short is shorter",
  );
  expect(spellings("a".repeat(shortest)).every((spelling) => spelling.length >= shortest)).toBe(true);
});

test("finds a deleted secret in the layers of an image", async () => {
  const folder = await mkdtemp(join(tmpdir(), "routeql-secrets-"));
  const tag = `rq-test-${runId}-planted`;
  try {
    await writeFile(join(folder, "secret"), planted);
    await writeFile(join(folder, "nothing"), "");
    await writeFile(join(folder, "Dockerfile"), "FROM scratch\nCOPY secret /secret\nCOPY nothing /secret\n");
    await mustRun("docker", ["build", "--label", `${runLabel}=${runId}`, "--tag", tag, folder]);
    const { found } = await scanner.inStream(layersOf([tag]));
    expect([...found]).toEqual(["planted"]);
  } finally {
    await rm(folder, { recursive: true });
    await mustRun("docker", ["image", "rm", "--force", tag]);
  }
});

test("rejects a missing image", async () => {
  await expect(scanner.inStream(layersOf(["rq-test-no-such-image"]))).rejects.toThrow("docker save");
});
