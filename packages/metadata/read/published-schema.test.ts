import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { PublishedSchema, schemaIsAbsent, type Schema } from "../testing/published-schema.ts";
import { loadMetadata } from "./load.ts";
import { validateMetadata } from "./validate.ts";

let published: PublishedSchema;

beforeAll(() => {
  if (schemaIsAbsent === undefined) published = new PublishedSchema();
});

function check(merged: unknown) {
  return validateMetadata(loadMetadata(merged as Record<string, unknown>), { allowUnsupported: false });
}

const minimal = {
  version: 3,
  sources: [
    {
      name: "default",
      kind: "postgres",
      configuration: { connection_info: { database_url: "postgres://nowhere.invalid" } },
      tables: [],
    },
  ],
};

describe("compared with the published schema of Hasura", () => {
  test("accepts every valid document, except for unsupported features", (context) => {
    if (schemaIsAbsent !== undefined) context.skip(schemaIsAbsent);
    fc.assert(
      fc.property(published.arbitrary(published.root), (document) => {
        const { problems } = check(document);
        expect(problems.filter(({ kind }) => kind !== "unsupported")).toEqual([]);
      }),
      { numRuns: 300 },
    );
  }, 120_000);

  test("accepts no invalid document", (context) => {
    if (schemaIsAbsent !== undefined) context.skip(schemaIsAbsent);
    const isValid = published.validator();
    const junk = fc.constantFrom<unknown>(7, "text", true, null, [], {}, [7], { surplus: 1 });
    let refused = 0;
    fc.assert(
      fc.property(published.arbitrary(published.root), fc.nat(), fc.nat(2), junk, (document, place, how, value) => {
        const broken = spoil(document, place, how, value);
        if (isValid(broken)) return;
        refused += 1;
        expect(check(broken).problems, JSON.stringify(isValid.errors?.[0])).not.toEqual([]);
      }),
      { numRuns: 600 },
    );
    expect(refused).toBeGreaterThan(200);
  }, 120_000);

  test("serves every key, notes it as without effect, or refuses it as unsupported", async (context) => {
    if (schemaIsAbsent !== undefined) context.skip(schemaIsAbsent);
    const found = { served: new Set<string>(), withoutEffect: new Set<string>(), refused: new Set<string>() };
    for (const [key, document] of documentsForEachKey(published)) {
      const { problems, notes } = check(document);
      expect(
        problems.filter(({ kind }) => kind !== "unsupported"),
        key,
      ).toEqual([]);
      if (problems.length > 0)
        for (const { at } of problems) found.refused.add(at.filter((part) => typeof part === "string").join("."));
      else (notes.length > 0 ? found.withoutEffect : found.served).add(key);
    }
    const text = Object.entries(found).map(
      ([kind, keys]) =>
        `${kind}:\n${[...keys]
          .toSorted()
          .map((key) => `  ${key}\n`)
          .join("")}`,
    );
    await expect(text.join("")).toMatchFileSnapshot("./published-keys.txt");
  }, 120_000);
});

/** One value of the document replaced, one key misspelt or one key left out. */
function spoil(document: unknown, place: number, how: number, value: unknown): unknown {
  const copy = structuredClone(document);
  const owners: { owner: Record<string, unknown>; key: string }[] = [];
  const visit = (node: unknown): void => {
    if (typeof node !== "object" || node === null) return;
    for (const [key, item] of Object.entries(node)) {
      owners.push({ owner: node as Record<string, unknown>, key });
      visit(item);
    }
  };
  visit(copy);
  const chosen = owners[place % owners.length];
  if (chosen === undefined) return copy;
  const { owner, key } = chosen;
  if (how === 0) owner[key] = value;
  else if (Array.isArray(owner)) owner.splice(Number(key), 1);
  else {
    if (how === 1) owner[`${key}x`] = owner[key];
    delete owner[key];
  }
  return copy;
}

/** A minimal document with each key in turn, by the path of the key. */
function documentsForEachKey(schema: PublishedSchema): Map<string, unknown> {
  const documents = new Map<string, unknown>();
  const visit = (node: Schema, path: string, put: (value: unknown) => unknown, above: readonly Schema[]): void => {
    const own = schema.follow(node);
    if (above.includes(own)) return;
    const below = [...above, own];
    for (const choice of own.oneOf ?? own.anyOf ?? []) visit(choice, path, put, below);
    if (own.items !== undefined) visit(own.items, path, (value) => put([value]), below);
    if (typeof own.additionalProperties === "object")
      visit(own.additionalProperties, `${path}.*`, (value) => put({ id: value }), below);
    const needed = Object.fromEntries(
      (own.required ?? []).map((name) => [name, sample(schema, own.properties?.[name] ?? {})]),
    );
    for (const [key, property] of Object.entries(own.properties ?? {})) {
      const at = path === "" ? key : `${path}.${key}`;
      const set = (value: unknown): unknown => put({ ...needed, [key]: value });
      documents.set(at, set(sample(schema, property)));
      visit(property, at, set, below);
    }
  };
  visit(schema.root, "", (value) => ({ ...minimal, ...(value as object) }), []);
  return documents;
}

/** The smallest value that is not empty. */
function sample(schema: PublishedSchema, node: Schema): unknown {
  const own = schema.follow(node);
  const [choice] = own.oneOf ?? own.anyOf ?? [];
  if (choice !== undefined) return sample(schema, choice);
  if (own.enum !== undefined) return own.enum[0];
  if (own.type === "array") return [sample(schema, own.items ?? {})];
  if (own.type === "string") return "a";
  if (own.type === "number") return 1;
  if (own.type === "boolean") return true;
  if (typeof own.additionalProperties === "object") return { id: sample(schema, own.additionalProperties) };
  const keys = Object.keys(own.properties ?? {});
  if (keys.length === 0) return { a: 1 };
  const needed = own.required ?? keys.slice(0, 1);
  return Object.fromEntries(needed.map((key) => [key, sample(schema, own.properties?.[key] ?? {})]));
}
