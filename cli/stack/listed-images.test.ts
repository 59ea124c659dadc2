import { expect, test } from "vitest";
import { withDefaults } from "@routeql/infra/settings/reading/complete";
import { baseOfList, listedIn, referencesOf } from "./listed-images.ts";

const plain = withDefaults(
  { target: "kubernetes", engine: "embedded", imageRegistry: "registry.example.net/kit" },
  "prod",
);
const other = "routeql/node:24.0.0";
const bases = [plain.nodeBase, other];
const listOf = (nodeBase: string): ReadonlySet<string> => new Set(referencesOf({ ...plain, nodeBase }));

test("finds the base with which the list was rendered", () => {
  for (const base of bases) expect(baseOfList(plain, listOf(base), { bases, file: "images.txt" })).toBe(base);
});

test("names the images that the list lacks", () => {
  const gateway = referencesOf(plain).find((image) => image.includes("/gateway:"))!;
  const listed = new Set([...listOf(plain.nodeBase)].filter((image) => image !== gateway));
  expect(() => baseOfList(plain, listed, { bases, file: "images.txt" })).toThrow(`images.txt does not list ${gateway}`);
});

test("reads lines with and without digests", () => {
  const pinned = `nginx:1@sha256:${"a".repeat(64)}`;
  expect([...listedIn(`${pinned}\n\nvalkey:8\n`)]).toEqual([pinned, "nginx:1", "valkey:8"]);
});

test("a setting's own digest must be the listed one", () => {
  const pinned = (digit: string) =>
    ({ ...plain, engine: "hasura", hasuraImage: `hasura/graphql-engine:v2@sha256:${digit.repeat(64)}` }) as const;
  const listed = listedIn(referencesOf(pinned("a")).join("\n"));
  const given = { bases: [plain.nodeBase], file: "images.txt" };
  expect(baseOfList(pinned("a"), listed, given)).toBe(plain.nodeBase);
  expect(() => baseOfList(pinned("b"), listed, given)).toThrow("images.txt does not list");
});
