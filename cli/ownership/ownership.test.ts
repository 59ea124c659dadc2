import { mkdtempSync, rmSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Owner } from "@routeql/host/ownership";
import { stackPaths } from "@routeql/host/paths";
import { keepIdentity, readIdentity } from "./owner.ts";
import {
  checkOwnership,
  type ClaimStore,
  claimStack,
  type NamedObject,
  releaseStack,
  requireOwn,
} from "./ownership.ts";

const mine = "0123456789abcdef";
const theirs = "fedcba9876543210";
const daemon = { id: "one", name: "here" };
const stack = `owned-${process.pid}`;
const paths = stackPaths(stack);
let elsewhere = "";

beforeEach(async () => {
  elsewhere = mkdtempSync(join(tmpdir(), "routeql-checkout-"));
  await keepIdentity(paths, { state: mine });
});
afterEach(() => {
  for (const folder of [paths.folder, elsewhere]) rmSync(folder, { recursive: true, force: true });
});

const ownerIn = (folder: string, state = theirs): Owner => ({ state, folder, host: hostname(), user: "ada" });

function store(claim?: Owner, objects: readonly NamedObject[] = [], fastest?: Owner) {
  let kept = claim;
  const claims: ClaimStore = {
    where: "in this test",
    daemon: () => Promise.resolve(daemon),
    read: () => Promise.resolve(kept),
    objects: () => Promise.resolve(objects),
    write: (owner) => Promise.resolve((kept = fastest ?? owner)),
    remove: () => Promise.resolve((kept = undefined)),
  };
  return { claims, kept: () => kept };
}

const data = (state: string | undefined): NamedObject => ({ name: "data", state, isData: true });
const container = (state: string | undefined): NamedObject => ({ name: "gateway", state, isData: false });

test("a stack is own by its claim, by its labels without a claim, or when nothing has its name", async () => {
  for (const { claims } of [store(), store(undefined, [data(mine), container(undefined)])])
    expect(await requireOwn(stack, claims)).toEqual({ "com.routeql.state": mine });
  expect(await checkOwnership(stack, store().claims, false)).toEqual({
    identity: { state: mine, daemon },
    replaces: false,
  });
});

test.each([
  ["a claim", () => store(ownerIn(elsewhere))],
  ["labels of another state", () => store(undefined, [container(theirs)])],
  ["objects without labels", () => store(undefined, [container(undefined)])],
  ["a claim of a deleted checkout with objects", () => store(ownerIn(`${elsewhere}/gone`), [container(theirs)])],
])("%s refuses every command", async (_, of) => {
  await expect(requireOwn(stack, of().claims)).rejects.toThrow(`The stack ${stack} in this test belongs to`);
  await expect(checkOwnership(stack, of().claims, false)).rejects.toThrow("in this test belongs to");
  expect((await checkOwnership(stack, of().claims, true)).replaces).toBe(true);
});

test("a claim of a deleted checkout without objects is free", async () => {
  const { claims } = store(ownerIn(`${elsewhere}/gone`));
  expect((await checkOwnership(stack, claims, false)).replaces).toBe(true);
});

test("a claim made since the check is refused, also where another was to be replaced", async () => {
  const gone = store(ownerIn(`${elsewhere}/gone`, "1111111111111111")).claims;
  for (const permit of [await checkOwnership(stack, gone, false), await checkOwnership(stack, store().claims, false)]) {
    const faster = store(ownerIn(elsewhere));
    await expect(claimStack(stack, paths, faster.claims, permit)).rejects.toThrow(
      `belongs to the checkout ${elsewhere}`,
    );
    expect(faster.kept()?.state).toBe(theirs);
  }
});

test("the data of another state is never adopted", async () => {
  const foreign = store(ownerIn(elsewhere), [data(theirs)]).claims;
  await expect(requireOwn(stack, foreign)).rejects.toThrow("with its data (data)");
  await expect(checkOwnership(stack, foreign, true)).rejects.toThrow("whose secrets are not in this checkout's");
});

test("a state of another daemon is refused", async () => {
  await keepIdentity(paths, { state: mine, daemon: { id: "two", name: "there" } });
  await expect(requireOwn(stack, store().claims)).rejects.toThrow("is on the Docker daemon there, and this is");
});

test("the name is claimed once, and a faster state keeps it", async () => {
  const permit = { identity: { state: mine, daemon }, replaces: false };
  const { claims, kept } = store();
  await claimStack(stack, paths, claims, permit);
  expect(kept()?.state).toBe(mine);
  expect(await readIdentity(paths)).toEqual(permit.identity);
  await expect(claimStack(stack, paths, store(undefined, [], ownerIn(elsewhere)).claims, permit)).rejects.toThrow(
    `belongs to the checkout ${elsewhere}`,
  );
  await releaseStack(paths, claims);
  expect(kept()).toBeUndefined();
  expect(await readIdentity(paths)).toEqual({ state: mine });
});
