import { existsSync } from "node:fs";
import { readdir, readFile, stat } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { builtImages } from "@routeql/infra/images";
import { evidence, type NotedSecret } from "../harness/run/evidence.ts";
import { keepFigures } from "../harness/figures/figures.ts";
import { image } from "../harness/containers/image.ts";
import { mustRun } from "../harness/process.ts";
import { layersOf } from "./images.ts";
import { mayHold } from "./may-hold.ts";
import { Scanner, shortest } from "./scanner.ts";

const kept = resolve(import.meta.dirname, "../../.routeql");
const folder = process.env["ROUTEQL_TEST_EVIDENCE"];
const list = folder === undefined ? undefined : join(folder, evidence.secrets);

/** Plugins of a stack's engine. A run writes no secrets to these. */
const notLookedInto = /\/node_modules\//;

describe("no secret of the run is in a wrong place", () => {
  let secrets: NotedSecret[];
  let scanner: Scanner;
  let bytesOfLayers = 0;
  let files: string[];

  beforeAll(async () => {
    if (list === undefined || !existsSync(list)) return;
    const noted = (await readFile(list, "utf8"))
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as NotedSecret);
    secrets = [...new Map(noted.map((secret) => [secret.value, secret])).values()].filter(
      ({ value }) => value.length >= shortest,
    );
    scanner = new Scanner(secrets);
    files = (await readdir(kept, { recursive: true, withFileTypes: true }))
      .filter((entry) => entry.isFile())
      .map((entry) => relative(kept, join(entry.parentPath, entry.name)))
      .filter((path) => !notLookedInto.test(path));
  });

  test("the suites recorded passwords, keys and tokens", (context) => {
    if (secrets === undefined) context.skip("no suite of this run has recorded a secret");
    expect(secrets.length).toBeGreaterThan(0);
    expect(secrets.some(({ name }) => /password/i.test(name))).toBe(true);
  });

  test("no log, output, inspection, process list or state contains one", async (context) => {
    if (secrets === undefined) context.skip("no suite of this run has recorded a secret");
    const leaks: string[] = [];
    for (const path of files) {
      if (mayHold.some((exception) => exception.path.test(path))) continue;
      for (const name of await scanner.inFile(join(kept, path))) leaks.push(`${name}: in .routeql/${path}`);
    }
    expect(leaks).toEqual([]);
  });

  test("files that may contain secrets are readable only by their owner", async (context) => {
    if (secrets === undefined) context.skip("no suite of this run has recorded a secret");
    const open: string[] = [];
    for (const path of files.filter((file) => mayHold.some((exception) => exception.path.test(file)))) {
      const { mode } = await stat(join(kept, path));
      if ((mode & 0o077) !== 0) open.push(`.routeql/${path}: ${(mode & 0o777).toString(8)}`);
    }
    expect(open).toEqual([]);
  });

  test("no layer, history or configuration of an image contains one", { timeout: 300_000 }, async (context) => {
    if (secrets === undefined) context.skip("no suite of this run has recorded a secret");
    const images = await Promise.all(builtImages().map(({ name }) => image(name)));
    const { found, bytes } = await scanner.inStream(layersOf(images));
    bytesOfLayers = bytes;
    expect([...found], "in layers").toEqual([]);
    for (const reference of images) {
      const told = `${await mustRun("docker", ["history", "--no-trunc", reference])}\n${await mustRun("docker", ["image", "inspect", reference])}`;
      expect([...scanner.inBytes(Buffer.from(told))], reference).toEqual([]);
    }
    keepFigures("secrets", {
      "secrets looked for": secrets.length,
      "files searched": files.length,
      "MiB of image layers searched": Math.round(bytesOfLayers / 1024 / 1024),
      found: 0,
    });
  });
});
