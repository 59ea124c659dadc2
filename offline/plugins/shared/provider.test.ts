import { expect, test, vi } from "vitest";
import { z } from "zod";
import { makeProvider, type Reading, type ResourceKind, stateInputs } from "./provider.ts";
import { canonical, secret, unwrap } from "./values.ts";

const unknown = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";
const urn = "urn:pulumi:local::routeql::routeql:index:RouteQL$docker:Service$test:index/thing:Thing::thing";
const inputs = z.strictObject({ name: z.string(), size: z.int().optional(), password: z.string().optional() });
type Inputs = z.infer<typeof inputs>;

function provider(kind: Partial<ResourceKind<Inputs>> = {}) {
  const thing: ResourceKind<Inputs> = {
    inputs,
    updatable: ["size"],
    secretOutputs: ["token"],
    deleteBeforeReplace: (olds, news) => olds.name === news.name,
    create: async ({ name, password }) => ({ id: `id-${name}`, outputs: { token: `${password}!` } }),
    ...kind,
  };
  const made = makeProvider("test", "1.0.0", { "test:index/thing:Thing": thing });
  return {
    check: made.check,
    diff: made.diff,
    create: made.create,
    read: made.read,
    update: made.update,
    remove: made.delete,
  };
}

test("the check names unknown types, unknown properties and invalid values", async () => {
  const { check } = provider();
  const other = urn.replace("thing:Thing", "other:Other");
  expect((await check(other, {}, {})).failures).toEqual([
    { property: "", reason: expect.stringContaining("does not support the resource type test:index/other:Other") },
  ]);
  const { failures } = await check(urn, {}, { name: 1, colour: "red" });
  expect(failures?.map(({ property }) => property).toSorted()).toEqual(["colour", "name"]);
});

test("skips unknown values in a preview and checks the content of secret ones", async () => {
  const { check } = provider();
  expect((await check(urn, {}, { name: "a", size: unknown })).failures).toEqual([]);
  expect((await check(urn, {}, { name: secret("a"), size: secret("big") })).failures).toEqual([
    expect.objectContaining({ property: "size" }),
  ]);
});

test.each([
  ["the same", { name: "a", size: 1 }, false, []],
  ["another order and explicit undefined", { size: 1, name: "a", password: null }, false, []],
  ["an updatable change", { name: "a", size: 2 }, true, []],
  ["a removed updatable input", { name: "a" }, true, []],
  ["another change", { name: "b", size: 1 }, true, ["name"]],
  ["an added input", { name: "a", size: 1, password: "x" }, true, ["password"]],
  ["an unknown value", { name: unknown, size: 1 }, true, ["name"]],
  ["the same value, now secret", { name: secret("a"), size: 1 }, false, []],
])("compares with the inputs in the state: %s", async (_title, news, changes, replaces) => {
  const { diff } = provider();
  expect(await diff("id", urn, { name: "a", size: 1, token: secret("t") }, news)).toMatchObject({ changes, replaces });
});

test("deletes the old resource first only if both would have the same name", async () => {
  const { diff } = provider();
  expect(await diff("id", urn, { name: "a" }, { name: "a", password: "x" })).toMatchObject({
    deleteBeforeReplace: true,
  });
  expect(await diff("id", urn, { name: "a" }, { name: "b" })).toMatchObject({ deleteBeforeReplace: false });
});

test("a creation acts on plain values and stores them wrapped", async () => {
  const { create } = provider();
  expect(await create(urn, { name: "a", password: secret("pw") })).toEqual({
    id: "id-a",
    outs: { name: "a", password: secret("pw"), token: secret("pw!") },
  });
});

test("refuses to create or update with inputs that its check refuses", async () => {
  const { create, update } = provider({ update: async () => ({}) });
  await expect(create(urn, { name: "a", colour: "red" })).rejects.toThrow("colour: the stand-in provider does not");
  await expect(update("id", urn, { name: "a" }, { name: "a", size: "big" })).rejects.toThrow("size: ");
});

test("a computed output must not take the name of an input", async () => {
  const { create } = provider({ create: async () => ({ id: "1", outputs: { size: 3 } }) });
  await expect(create(urn, { name: "a" })).rejects.toThrow("size is an input and cannot be computed");
});

test.each([
  ["update", { changes: true, replaces: [] }],
  ["replace", { changes: true, replaces: ["__drift"] }],
] as const)("drift found by a refresh is repaired by the next update: %s", async (repair, expected) => {
  const reading: Reading = { drift: ["it is stopped"], repair };
  const { read, diff, update } = provider({ read: async () => reading, update: async () => ({}) });
  const state = { name: "a", token: secret("t") };
  const { props, inputs: readInputs } = await read("id", urn, state);
  expect(readInputs).toEqual({ name: "a" });
  expect(await diff("id", urn, props, { name: "a" })).toMatchObject(expected);
  expect((await update("id", urn, props, { name: "a" })).outs).toEqual(state);
});

test("a refresh drops deleted resources and keeps unchanged ones", async () => {
  const state = { name: "a", token: secret("t") };
  expect(await provider({ read: async () => undefined }).read("id", urn, state)).toEqual({ id: "", props: {} });
  expect(await provider({ read: async () => ({}) }).read("id", urn, state)).toMatchObject({ id: "id", props: state });
});

test("continues a state of the official provider, whose outputs have defaults", async () => {
  const remove = vi.fn(async () => undefined);
  const { diff, update, remove: destroy } = provider({ update: async () => ({}), delete: remove });
  const recorded = { name: "a", __defaults: ["size"], size: 7 };
  const state = { name: "a", size: 7, made: 1, __pulumi_raw_state_delta: {}, [stateInputs]: recorded };
  expect(await diff("id", urn, state, { name: "a" })).toMatchObject({ changes: false });
  expect(await diff("id", urn, state, { name: "a", size: 8 })).toMatchObject({ changes: true });
  expect((await update("id", urn, state, { name: "a", size: 8 })).outs).toEqual({ name: "a", size: 8, made: 1 });
  await destroy("id", urn, state);
  expect(remove).toHaveBeenCalledWith("id", { name: "a", made: 1, __pulumi_raw_state_delta: {} }, expect.anything());
});

test("records the schema version and defaults that the official provider expects", async () => {
  const { create } = provider({ schemaVersion: 2, defaults: { size: 7, name: "none" } });
  expect((await create(urn, { name: "a" })).outs).toMatchObject({
    name: "a",
    size: 7,
    __meta: '{"schema_version":"2"}',
  });
});

test("only a deletion of an update has a replacement", async () => {
  const remove = vi.fn(async () => undefined);
  const { check, diff, remove: delete_ } = provider({ delete: remove });
  await diff("id", urn, { name: "a" }, { name: "a", password: unknown });
  await delete_("id", urn, { name: "a" });
  expect(remove).toHaveBeenLastCalledWith("id", { name: "a" }, expect.objectContaining({ replacedFor: undefined }));
  await check(urn, {}, { name: "a" });
  await delete_("id", urn, { name: "a" });
  expect(remove).toHaveBeenLastCalledWith("id", { name: "a" }, expect.objectContaining({ replacedFor: ["password"] }));
});

test("a deletion gets plain values", async () => {
  const remove = vi.fn(async () => undefined);
  await provider({ delete: remove }).remove("id", urn, { name: secret("a") });
  expect(remove).toHaveBeenCalledWith("id", { name: "a" }, expect.anything());
});

test("unwraps values at every depth, and equal values have equal text", () => {
  expect(unwrap({ list: [secret({ deep: secret(1) })] })).toEqual({ list: [{ deep: 1 }] });
  expect(canonical({ b: [1, { d: 1, c: 2 }], a: null })).toBe(canonical({ b: [1, { c: 2, d: 1 }] }));
});
