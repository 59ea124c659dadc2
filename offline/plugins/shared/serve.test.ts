import { expect, test } from "vitest";
import { z } from "zod";
import { makeProvider } from "./provider.ts";
import { together } from "./serve.ts";

const urnOf = (type: string): string => `urn:pulumi:local::routeql::routeql:index:RouteQL$${type}::thing`;

function two() {
  const loads: string[] = [];
  const standIn = (name: string) => async () => {
    loads.push(name);
    const kind = { inputs: z.strictObject({}), create: async () => ({ id: `of ${name}`, outputs: {} }) };
    return makeProvider(name, "1.0.0", { [`${name}:index/thing:Thing`]: kind });
  };
  return { loads, provider: together("2.0.0", { one: standIn("one"), other: standIn("other") }) };
}

test("routes each resource to its package's provider, which loads once on demand", async () => {
  const { loads, provider } = two();
  expect(loads).toEqual([]);
  const ids = [];
  for (const name of ["other", "other", "one"])
    ids.push((await provider.create!(urnOf(`${name}:index/thing:Thing`), {})).id);
  expect(ids).toEqual(["of other", "of other", "of one"]);
  expect(loads).toEqual(["other", "one"]);
});

test("rejects a package or type without a stand-in and names it", async () => {
  const { provider } = two();
  await expect(provider.check!(urnOf("third:index/thing:Thing"), {}, {})).rejects.toThrow(
    "no stand-in provider supports third:index/thing:Thing",
  );
  const { failures } = await provider.check!(urnOf("one:index/else:Else"), {}, {});
  expect(failures).toEqual([
    { property: "", reason: expect.stringContaining("the stand-in one provider does not support") },
  ]);
});
