import type { dockerClient } from "@routeql/host/docker/client";
import { expect, test } from "vitest";
import { replacedDataVolume } from "./data-volume.ts";

type Volume = { readonly Labels: Readonly<Record<string, string>> | null; readonly CreatedAt: string };

const daemon = (volume: Volume | undefined) =>
  ({
    getVolume: (name: string) => ({
      inspect: () =>
        name === "routeql-local-database-data" && volume !== undefined
          ? Promise.resolve(volume)
          : Promise.reject(Object.assign(new Error("no such volume"), { statusCode: 404 })),
    }),
  }) as unknown as ReturnType<typeof dockerClient>;

const identity = (hadData: boolean, volume: Volume | undefined) =>
  replacedDataVolume("routeql-local", hadData, daemon(volume));
const CreatedAt = "2026-11-25T02:00:00Z";
const own = { "com.routeql.stack": "local" };

test("the first volume of a stack has no identity, before and after its creation", async () => {
  expect(await identity(false, undefined)).toBeUndefined();
  expect(await identity(true, { Labels: own, CreatedAt })).toBeUndefined();
});

test("a missing volume of a stack with data gets a new identity, which its label keeps", async () => {
  const given = await identity(true, undefined);
  expect(given).toMatch(/^[0-9a-f-]{36}$/);
  expect(await identity(true, undefined)).not.toBe(given);
  expect(await identity(true, { Labels: { ...own, "com.routeql.data": given! }, CreatedAt })).toBe(given);
});

test("a volume that Docker created for a starting container is a new one", async () => {
  expect(await identity(true, { Labels: null, CreatedAt })).toBe(CreatedAt);
});
