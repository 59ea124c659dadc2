import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { describeOwner } from "@routeql/host/ownership";
import { belongsToAnother, isCopied, isGone, thisCheckout } from "./owner.ts";

const state = "0123456789abcdef";
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "routeql-owner-"));
  await mkdir(join(folder, ".routeql/kept"), { recursive: true });
  await writeFile(join(folder, ".routeql/kept/identity.json"), JSON.stringify({ state }));
});
afterAll(() => rm(folder, { recursive: true }));

const at = (place: string, host = hostname()) => ({ state, folder: place, host, user: "anna" });

test("describes an owner by folder, host and user", () => {
  expect(describeOwner(at("/home/anna/routeql", "laptop"))).toBe(
    "the checkout /home/anna/routeql (host laptop, user anna)",
  );
  expect(describeOwner({ state })).toBe(`another Pulumi state (${state})`);
  expect(describeOwner({})).toBe("a program that recorded no state");
});

test("the refusal names the data and the command that deletes it", () => {
  const { message, remedy } = belongsToAnother("dev", at("/there", "laptop"), {
    where: "on this Docker daemon",
    dataNames: ["routeql-dev-database-data"],
  });
  expect(message).toContain("The stack dev on this Docker daemon belongs to the checkout /there");
  expect(message).toContain("routeql-dev-database-data");
  expect(remedy).toContain("npm run down -- --volumes --adopt --stack dev");
});

test("a lost state of this checkout is called so", () => {
  const { message, remedy } = belongsToAnother("dev", thisCheckout(state), { where: "on this Docker daemon" });
  expect(message).toBe("The stack dev on this Docker daemon is this checkout's, but its state .routeql/dev is lost");
  expect(remedy).toContain("troubleshoot.md#the-disk-died");
});

test("a state in use in another folder is a copy", async () => {
  expect(await isCopied("kept", at(folder))).toBe(true);
});

test.each([
  ["has no such stack", "other", (place: string) => at(place)],
  ["is gone: the checkout was moved", "kept", (place: string) => at(`${place}/gone`)],
  ["is on another host", "kept", (place: string) => at(place, "elsewhere")],
])("a state is not a copy if the folder of the claim %s", async (_why, stack, owner) => {
  expect(await isCopied(stack, owner(folder))).toBe(false);
});

test("this checkout is not a copy of itself", async () => {
  expect(await isCopied("kept", thisCheckout(state))).toBe(false);
});

test("only a folder of this host can be checked for existence", async () => {
  expect(await isGone(at(`${folder}/gone`))).toBe(true);
  expect(await isGone(at(folder))).toBe(false);
  expect(await isGone(at(`${folder}/gone`, "elsewhere"))).toBe(false);
});
