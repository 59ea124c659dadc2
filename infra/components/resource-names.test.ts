import type { ResourceTransformationArgs } from "@pulumi/pulumi";
import { expect, test } from "vitest";
import { partOf, resourceNames, withFormerNames } from "./resource-names.ts";

/** What becomes of a resource; the resource itself is not looked at. */
const transformed = (name: string, opts: ResourceTransformationArgs["opts"] = {}) => {
  const given: Omit<ResourceTransformationArgs, "resource"> = { name, opts, props: { size: 1 }, type: "docker:index/volume:Volume" };
  return withFormerNames("routes")(given as ResourceTransformationArgs);
};

test("parts of two components of one program have names of their own", () => {
  expect(resourceNames("routes")("engine")).not.toBe(resourceNames("trial")("engine"));
});

test("the part is found again in the name, and in no other", () => {
  expect(partOf("routes", resourceNames("routes")("key-encryption-key"))).toBe("key-encryption-key");
  expect([partOf("routes", "routes"), partOf("routes", "engine")]).toEqual([undefined, undefined]);
});

test("a part is the same resource as that of an earlier version, which had the part's name alone; other aliases stay", () => {
  expect(transformed("routes-database-data", { protect: true, aliases: [{ name: "older" }] })).toEqual({
    props: { size: 1 },
    opts: { protect: true, aliases: [{ name: "older" }, { name: "database-data" }] },
  });
  expect(transformed("routes")).toBeUndefined();
});
