import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { Member } from "./support/clients/accounts.ts";
import { loadDemo } from "./support/data/data.ts";
import { loadLines } from "./support/data/load-lines.ts";
import { headersOf, master } from "./support/clients/graphql.ts";
import { type Feed, protocols, type SocketOptions, type Subscribe } from "./support/clients/sockets.ts";
import { stack } from "./support/stack/stack.ts";
import { announcement } from "./support/data/small-world.ts";

const newest = "subscription { view_bgpupdates(limit: 1, order_by: {timestamp: desc}) { prefix timestamp } }";
const anyAnswer = (): boolean => true;

describe("Events", () => {
  let analyst: Member;
  const open: Feed[] = [];

  function start(subscribe: Subscribe, query: string, options: SocketOptions): Feed {
    const feed = subscribe(query, options);
    open.push(feed);
    return feed;
  }

  beforeAll(async () => {
    await loadDemo();
    analyst = await Member.join("analyst");
  });

  afterEach(async () => {
    for (const feed of open.splice(0)) await feed.dispose();
  });

  describe.each(protocols)("1: subscriptions over WebSockets, $name", ({ name, subscribe }) => {
    test.each([
      ["the API's port", () => stack.url],
      ["the console's port", () => stack.consoleUrl],
    ])("a subscription's first answer comes on %s", async (_, base) => {
      const feed = start(subscribe, newest, { base: base(), headers: headersOf(await analyst.caller()) });
      const { value } = await feed.until(anyAnswer, 15_000);
      expect(value).toEqual({
        view_bgpupdates: [{ prefix: expect.any(String) as string, timestamp: expect.any(String) as string }],
      });
    });

    test.each([
      [
        "Authorization on the upgrade",
        async () => ({ headers: { authorization: `Bearer ${await analyst.freshToken()}` } }),
      ],
      [
        "X-Engine-Access-Key on the upgrade",
        async () => ({ headers: { "x-engine-access-key": stack.engineAccessKey } }),
      ],
      [
        "Authorization in connection_init",
        async () => ({ payload: { headers: { Authorization: `Bearer ${await analyst.freshToken()}` } } }),
      ],
      [
        "X-Engine-Access-Key in connection_init",
        async () => ({ payload: { headers: { "X-Engine-Access-Key": stack.engineAccessKey } } }),
      ],
    ] as const)("the caller is known by %s", async (_, options) => {
      const feed = start(subscribe, newest, await options());
      await feed.until(anyAnswer, 15_000);
      expect(feed.errors).toEqual([]);
    });

    test.each([
      ["no credentials", async () => ({})],
      ["a wrong master key", async () => ({ headers: { "x-engine-access-key": "0".repeat(64) } })],
      ["an invalid token", async () => ({ payload: { headers: { Authorization: "Bearer abc.def.ghi" } } })],
      [
        "another role in connection_init",
        async () => ({
          payload: { headers: { Authorization: `Bearer ${await analyst.freshToken()}`, "x-hasura-role": "operator" } },
        }),
      ],
      [
        "the role admin in connection_init",
        async () => ({
          payload: { headers: { Authorization: `Bearer ${await analyst.freshToken()}`, "x-hasura-role": "admin" } },
        }),
      ],
      [
        "a wrong admin secret in connection_init",
        async () => ({ payload: { headers: { "x-hasura-admin-secret": "0".repeat(64) } } }),
      ],
      [
        "engine headers on the upgrade",
        async () => ({ headers: { "x-hasura-admin-secret": stack.engineAccessKey, "x-hasura-role": "admin" } }),
      ],
    ] as const)("rejects %s: closes the connection and delivers nothing", async (_, options) => {
      const feed = start(subscribe, newest, await options());
      const { code } = await feed.closing;
      expect(code).toBeGreaterThanOrEqual(1000);
      expect(feed.answers).toEqual([]);
    });

    test("delivers an update that is loaded now", async () => {
      const line = announcement({ prefix: `198.18.64.${name.length * 4}/30` });
      const query = `subscription { view_bgpupdates(where: {prefix: {_eq: "${line.prefix}"}, timestamp: {_eq: "${line.timestamp}"}}) { prefix timestamp as_path } }`;
      const feed = start(subscribe, query, { headers: headersOf(master) });
      const first = await feed.until(anyAnswer, 15_000);
      expect(first.value).toEqual({ view_bgpupdates: [] });
      await loadLines([line.text]);
      const { value } = await feed.until(
        (answer) => (answer as { view_bgpupdates: unknown[] }).view_bgpupdates.length > 0,
        20_000,
      );
      expect(value).toEqual({
        view_bgpupdates: [{ prefix: line.prefix, timestamp: line.timestamp, as_path: line.path }],
      });
    });

    test("an unchanged result is not sent again", async () => {
      const feed = start(
        subscribe,
        'subscription { view_bgpupdates(where: {prefix: {_eq: "198.18.66.0/24"}}) { prefix } }',
        { headers: headersOf(master) },
      );
      await feed.until(anyAnswer, 15_000);
      await new Promise((resolve) => setTimeout(resolve, 3500));
      expect(feed.answers).toHaveLength(1);
    });

    test("applies the permissions of queries: a viewer's row limit and columns", async () => {
      const viewer = await Member.join("viewer");
      const feed = start(subscribe, "subscription { view_bgpupdates { type } }", {
        headers: headersOf(await viewer.caller()),
      });
      const { value } = await feed.until(anyAnswer, 15_000);
      expect((value as { view_bgpupdates: unknown[] }).view_bgpupdates).toHaveLength(100);
      const refused = start(subscribe, "subscription { view_bgpupdates { communities } }", {
        headers: headersOf(await viewer.caller()),
      });
      await expect
        .poll(() => JSON.stringify([refused.errors, refused.answers]), { timeout: 15_000 })
        .toContain("field 'communities' not found");
    });
  });
});
