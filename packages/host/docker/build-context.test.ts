import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, expect, test } from "vitest";
import { contentHash, type ContextFile, contextFiles, copiedSources } from "./build-context.ts";

let root = "";
const write = (path: string, content = path): void => {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), content);
};
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "routeql-context-"));
  write(".dockerignore", "*\n!engine\n!package.json\n**/node_modules\n**/*.test.ts\n");
  for (const path of [
    "package.json",
    "README.md",
    "engine/a.ts",
    "engine/b/a.test.ts",
    "engine/b/run.sh",
    "engine/node_modules/x/index.js",
    "other/a.ts",
  ]) {
    write(path);
  }
  chmodSync(join(root, "engine/b/run.sh"), 0o755);
});
afterEach(() => rmSync(root, { recursive: true }));

test("includes files below the sources, without those that .dockerignore excludes", () => {
  expect(contextFiles(root, ["package.json", "engine"]).map(({ path }) => path)).toEqual([
    "package.json",
    "engine/a.ts",
    "engine/b/run.sh",
  ]);
});

test("a file that is listed twice counts once", () => {
  expect(contextFiles(root, ["engine", "engine/a.ts"]).filter(({ path }) => path === "engine/a.ts")).toHaveLength(1);
});

test("reads content and executable bit", () => {
  const [file] = contextFiles(root, ["engine/b"]);
  expect(file).toMatchObject({ path: "engine/b/run.sh", executable: true });
  expect(Buffer.from(file?.content ?? []).toString()).toBe("engine/b/run.sh");
});

test("a missing source is an error", () => {
  expect(() => contextFiles(root, ["nowhere"])).toThrow(/ENOENT/);
});

const file = fc.record({ path: fc.string({ minLength: 1 }), content: fc.uint8Array(), executable: fc.boolean() });
const files = fc.uniqueArray(file, { minLength: 1, selector: ({ path }) => path });
const texts = fc.dictionary(fc.string(), fc.string());

test("the order of the files and texts is irrelevant", () => {
  fc.assert(
    fc.property(texts, files, (given, content) => {
      const reversed = Object.fromEntries(Object.entries(given).toReversed());
      expect(contentHash({ texts: reversed, files: content.toReversed() })).toBe(
        contentHash({ texts: given, files: content }),
      );
    }),
  );
});

const changes: [string, (file: ContextFile) => ContextFile][] = [
  ["name", (one) => ({ ...one, path: `${one.path}x` })],
  ["content", (one) => ({ ...one, content: Uint8Array.of(...one.content, 0) })],
  ["executable bit", (one) => ({ ...one, executable: !one.executable })],
];

test.each(changes)("another %s of one file changes the hash", (_what, change) => {
  fc.assert(
    fc.property(texts, files, (given, [first, ...rest]) => {
      const changed = contentHash({ texts: given, files: [change(first as ContextFile), ...rest] });
      expect(changed).not.toBe(contentHash({ texts: given, files: [first as ContextFile, ...rest] }));
    }),
  );
});

test("a text and a file with equal name and content have different hashes", () => {
  const content = Buffer.from("x");
  const asText = contentHash({ texts: { a: "x" }, files: [] });
  expect(contentHash({ texts: {}, files: [{ path: "a", content, executable: false }] })).not.toBe(asText);
});

test("the hash is stable across versions of the project", () => {
  const files = [{ path: "a/b", content: Buffer.from("text\n"), executable: true }];
  expect(contentHash({ texts: { Dockerfile: "FROM scratch" }, files })).toBe(
    "9576617f968754db5f7ccd4d25691e9d0c4e2e81822f6c8e9058cf07236861b4",
  );
});

test("lists copies from the context once each, without copies between stages", () => {
  const dockerfile = `
FROM base AS build
# COPY not this
COPY package.json package-lock.json ./
copy --chown=1:1 engine /routeql/engine
COPY engine \\
  contract \\
  /routeql/
FROM base
COPY --from=build /usr/local/bin/node /usr/local/bin/node
RUN echo COPY nothing /
`;
  expect(copiedSources(dockerfile)).toEqual(["package.json", "package-lock.json", "engine", "contract"]);
});

test.each(["ADD a b", "COPY *.json ./", 'COPY ["a", "b"]', "COPY $A b", "COPY <<EOF b", "COPY a"])(
  "%s is refused",
  (instruction) => {
    expect(() => copiedSources(instruction)).toThrow(instruction);
  },
);
