import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import {
  advisories,
  advisoriesFor,
  advisoriesOf,
  compareVersions,
  safeFloor,
  versionOf,
} from "@routeql/pins/advisories";
import { pins, type Pin } from "@routeql/pins/pins";

const root = resolve(import.meta.dirname, "../..");
const entries = Object.entries<Pin>(pins);

describe.each(entries)("%s", (_, pin) => {
  test("has no known advisory", () => expect(advisoriesOf(pin.image)).toEqual([]));

  test("has dates in order", () => {
    expect(pin.released <= pin.reviewed).toBe(true);
    expect(pin.reviewed < pin.supportedUntil).toBe(true);
  });
});

test.each(["images", "ci-templates"])("files in %s name the pinned versions", (folder) => {
  const paths = readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).filter((path) =>
    /Dockerfile$|\.ya?ml$/.test(path),
  );
  const named = paths.flatMap((path) =>
    [
      ...readFileSync(join(root, folder, path), "utf8").matchAll(/(?:ARG [A-Z_]+=|image: )([a-z][\w./-]*:[\w.-]+)/g),
    ].map(([, image]) => image!),
  );
  expect(named.length).toBeGreaterThan(0);
  const versions = entries.flatMap(([, { image }]) => versionOf(image) ?? []);
  for (const image of named) {
    const found = versionOf(image);
    if (found === undefined) expect(image).toBe(pins.debian.image);
    else expect(versions).toContainEqual(found);
  }
});

test.each([
  ["hasura/graphql-engine:v2.48.16", "hasura", "2.48.16"],
  ["registry.example.net:5000/hub/hasura/graphql-engine:v2.45.9.cli-migrations-v3", "hasura", "2.45.9"],
  ["postgres:17.12-trixie@sha256:0", "postgres", "17.12"],
  ["ghcr.io/cloudnative-pg/postgresql:17.12-standard-trixie", "postgres", "17.12"],
])("reads program and version of %s", (image, program, version) =>
  expect(versionOf(image)).toEqual({ program, version }),
);

test.each([
  "postgres:17",
  "nginx:stable",
  "nginx",
  "example.net:5000/nginx",
  "other:1.2.3",
  `nginx@sha256:${"0".repeat(64)}`,
])("%s tells no version", (image) => expect(versionOf(image)).toBeUndefined());

test.each([
  ["2.44.9", true],
  ["2.45.4", true],
  ["2.45.5", false],
  ["2.46.0", true],
  ["2.48.16", true],
  ["2.49.1", true],
  ["2.49.2", false],
  ["2.50.0", false],
])("Hasura %s is affected by CVE-2026-54698: %s", (version, affected) => {
  const ids = advisoriesFor({ program: "hasura", version }).flatMap((advisory) => advisory.ids);
  expect(ids.includes("CVE-2026-54698")).toBe(affected);
});

test("versions before the first affected one are not reported", () => {
  const ids = advisoriesFor({ program: "hasura", version: "2.9.0" }).flatMap((advisory) => advisory.ids);
  expect(ids).not.toContain("CVE-2022-46792");
  expect(advisoriesFor({ program: "hasura", version: "2.10.1" }).flatMap((advisory) => advisory.ids)).toContain(
    "CVE-2022-46792",
  );
});

test("the floor of a program holds versions without a known advisory", () => {
  for (const program of new Set(advisories.map((advisory) => advisory.program))) {
    const floor = safeFloor(program);
    expect(floor.length).toBeGreaterThan(0);
    for (const version of floor) expect(advisoriesFor({ program, version })).toEqual([]);
  }
  expect(safeFloor("hasura")).toEqual(["2.45.5", "2.49.2"]);
});

test("numbers in versions compare as numbers", () => expect(compareVersions("17.10", "17.9")).toBeGreaterThan(0));
