import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { decodeText } from "@routeql/contract/written-text";
import { randomYaml } from "../testing/random-yaml.ts";
import { YamlFile } from "./yaml.ts";

const folder = mkdtempSync(join(tmpdir(), "routeql-yaml-"));
afterAll(() => rmSync(folder, { recursive: true }));

interface Verdict {
  readonly value: unknown;
  readonly reason?: string;
  /** Such a key keeps its spelling here, and Hasura's CLI writes its value. */
  readonly otherKey?: boolean;
}

/** The verdicts of yaml.v3, or the reason why there are none. */
function yamlV3(texts: readonly string[]): readonly Verdict[] | string {
  const program = join(folder, "yaml-v3");
  const built = spawnSync("go", ["build", "-o", program, "."], {
    cwd: join(import.meta.dirname, "../testing/yaml-v3"),
    env: { ...process.env, GOPROXY: "off", GOFLAGS: "-mod=mod" },
  });
  if (built.status !== 0) return "Go is not on this machine, or its modules lack gopkg.in/yaml.v3 v3.0.1";
  const input = texts.map((text) => `${JSON.stringify(text)}\n`).join("");
  const { stdout } = spawnSync(program, { encoding: "utf8", input, maxBuffer: 2 ** 30 });
  return stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Verdict);
}

/** With ROUTEQL_RANDOM_YAML=10000 the test compares more; `npx vitest run --project unit random-yaml`. */
const count = Number(process.env["ROUTEQL_RANDOM_YAML"] ?? 500);
const seed = Number(process.env["ROUTEQL_RANDOM_SEED"] ?? 3);

test("reads random YAML as yaml.v3, or refuses it", { timeout: 60_000 + count * 10 }, (context) => {
  const texts = fc.sample(randomYaml, { numRuns: count, seed });
  const verdicts = yamlV3(texts);
  if (typeof verdicts === "string") {
    context.skip(verdicts);
    return;
  }
  let both = 0;
  const differences = texts.flatMap((text, index) => {
    const { value, problem } = new YamlFile(decodeText(Buffer.from(text))).read();
    const verdict = verdicts[index]!;
    if (problem !== undefined || verdict.otherKey === true) return [];
    both += 1;
    const isEqual = verdict.reason === undefined && isDeepStrictEqual(JSON.parse(JSON.stringify(value)), verdict.value);
    return isEqual ? [] : [`${JSON.stringify(text)}: ${JSON.stringify([value, verdict])}`];
  });
  expect(differences).toEqual([]);
  expect(both).toBeGreaterThan(count / 4);
});
