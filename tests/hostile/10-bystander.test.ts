/**
 * Costs of one client without an account, of one account and of ten accounts for another client, with the default limits. SECURITY.md
 * quotes the results.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { settings as all } from "@routeql/infra/settings/list";
import { Member } from "../e2e/support/clients/accounts.ts";
import { database } from "../e2e/support/stack/database.ts";
import { updateOwn } from "../e2e/support/stack/own-stack.ts";
import { hasFront } from "../e2e/support/stack/engine-of-the-run.ts";
import { writeSmallWorld } from "../e2e/support/data/small-world.ts";
import { stack } from "../e2e/support/stack/stack.ts";
import { mustRun } from "../harness/process.ts";
import { requireLimit } from "../harness/docker/require-limits.ts";
import { repository } from "../harness/repository.ts";
import type { Attack } from "./clients/attacks.ts";
import { document, type Genes } from "./search/grammar.ts";
import { percentile, startsOf, usagesOf } from "./search/measure.ts";
import { type Answer, attackFromOutside, type Attacked, Bystander } from "./support/client-container.ts";
import { settings as raised } from "./support/global-setup.ts";

/** Delays count only without another suite beside this one. */
const isAlone = process.env["ROUTEQL_TEST_ALONE"] !== undefined;
const seconds = isAlone ? 8 : 2;
const services: readonly string[] = [
  "gateway",
  "engine",
  "database",
  "auth-sidecar",
  ...(hasFront ? ["front" as const] : []),
];
/** MiB above the level before the attacks, within a minute after them: caches of the engine and of Postgres' processes stay filled. */
const keptMemory = 128;
/** The same after ten accounts, whose requests fill the caches of all connections at once (247 MiB of Postgres, 234 of the engine seen). */
const keptAfterTen = 192;
/** MiB of a service that has answered requests. One that just started uses less. */
const warmMemory = 96;
let bystander: Bystander;

beforeAll(async () => {
  await updateOwn(
    stack.name,
    Object.fromEntries(
      Object.keys(raised)
        .filter((name) => name !== "tokenLifeSeconds")
        .map((name) => [name, String(all[name as keyof typeof raised].default)]),
    ),
  );
  await writeSmallWorld();
  await mustRun(process.execPath, ["cli/main.ts", "load", "--stack", stack.name, "--demo", "100000"], {
    cwd: repository,
  });
  bystander = await Bystander.start(await (await Member.join("viewer")).freshToken());
}, 180_000);

afterAll(() => bystander.stop());

const megabytes = (count: number): string => "x".repeat(count * 1_048_576);
const query = JSON.stringify({ query: "{ view_hijacks(limit: 1) { key } }" });
const unfinished = JSON.stringify({ type: "subscribe", id: "1", payload: { query: `"${'\\"'.repeat(7_000)}` } });

const withoutAccount: readonly Attack[] = [
  { kind: "requests", name: "queries without a token", atOnce: 50, path: "/api/graphql", bodies: [query] },
  {
    kind: "requests",
    name: "bodies of 245 KiB without a token",
    atOnce: 50,
    path: "/api/graphql",
    bodies: [megabytes(0.24)],
  },
  { kind: "requests", name: "bodies of 4 MiB", atOnce: 20, path: "/api/graphql", bodies: [megabytes(4)] },
  {
    kind: "requests",
    name: "wrong passwords",
    atOnce: 50,
    path: "/api/auth/login/credentials",
    bodies: Array.from({ length: 50 }, (_item, index) =>
      JSON.stringify({ username: `nobody-${index}@example.net`, password: "wrong" }),
    ),
  },
  { kind: "handshakes", name: "TLS handshakes", atOnce: 100 },
  { kind: "streams", name: "HTTP/2 requests", atOnce: 8, path: "/api/graphql", body: query },
  { kind: "streams", name: "HTTP/2 requests of no path", atOnce: 8, path: "/nothing", body: "" },
  { kind: "stalled", name: "HTTP/2 replies that are not taken", atOnce: 600, path: "/api/graphql", body: query },
  { kind: "resets", name: "HTTP/2 resets", atOnce: 50 },
  { kind: "continuations", name: "HTTP/2 continuations", atOnce: 50 },
  { kind: "slow headers", name: "slow headers", atOnce: 500 },
  {
    kind: "sockets",
    name: "WebSocket messages before the login",
    atOnce: 50,
    messages: [unfinished, unfinished],
    reads: true,
  },
];

type Shape = Partial<Genes> & Pick<Genes, "shape">;

const genes: Omit<Genes, "shape" | "salt"> = { carrier: "query", width: 1_000, depth: 12, length: 1_000, count: 10 };
const costly: readonly Shape[] = [
  { shape: "related", width: 30, depth: 2 },
  { shape: "patterns", width: 150, depth: 11 },
  { shape: "variables", width: 380, length: 17_000 },
  { shape: "numbers", width: 50, length: 20_000, depth: 5 },
  { shape: "aliases", width: 450, length: 100 },
  { shape: "nesting", width: 19, depth: 4 },
  { shape: "aggregates", width: 30 },
  { shape: "introspection", width: 300, depth: 21 },
  { shape: "refused", width: 9_000, length: 20_000 },
];
const messageOf = (shape: Shape, salt: number, word = "query"): object => document({ ...genes, ...shape, salt }, word);
const subscribe = (shape: Shape, count: number, word: string): string[] =>
  Array.from({ length: count }, (_item, index) =>
    JSON.stringify({ type: "subscribe", id: String(index), payload: messageOf(shape, index, word) }),
  );

/** Reads and sorts all updates, and no index helps. */
const scan = (salt: number): string => {
  const patterns = Array.from({ length: 10 }, (_item, index) => `{prefix: {_nsimilar: "%(${salt}|${index})%(:|/)%x"}}`);
  return `{ view_bgpupdates(limit: 100, order_by: {as_path: asc}, where: {_and: [${patterns.join(" ")}]}) { prefix } }`;
};

const ofAnAccount: readonly Attack[] = [
  {
    kind: "requests",
    name: "scans",
    atOnce: 10,
    path: "/api/graphql",
    bodies: Array.from({ length: 12 }, (_item, salt) => JSON.stringify({ query: scan(salt) })),
  },
  ...costly.map((shape): Attack => ({
    kind: "requests",
    name: shape.shape,
    atOnce: 10,
    path: "/api/graphql",
    bodies: Array.from({ length: 12 }, (_item, salt) => JSON.stringify(messageOf(shape, salt))),
  })),
  {
    kind: "sockets",
    name: "subscriptions",
    atOnce: 5,
    messages: subscribe({ shape: "related", width: 20, depth: 2 }, 20, "subscription"),
    reads: true,
  },
  {
    kind: "sockets",
    name: "slow readers",
    atOnce: 20,
    messages: subscribe({ shape: "introspection", width: 300, depth: 21 }, 5, "query"),
    reads: false,
  },
];

const set = (salt: number, length: number): string =>
  `{seen: ${salt % 2 === 0}, comment: "hostile ${salt} ${"x".repeat(length)}"}`;
const change = (name: string, mutation: (salt: number) => string): Attack => ({
  kind: "requests",
  name,
  atOnce: 10,
  path: "/api/graphql",
  bodies: Array.from({ length: 12 }, (_item, salt) => JSON.stringify({ query: `mutation { ${mutation(salt)} }` })),
});

/** Changes the even or the odd hijacks, after a search without an index. */
const halfOf = (which: number, salt: number): string => {
  const digits = which % 2 === 0 ? "02468ace" : "13579bdf";
  return `update_view_hijacks(where: {key: {_similar: "%(a|b|c|%)%[${digits}]"}}, _set: ${set(salt, 20)}) { affected_rows }`;
};

/** Changes of an operator: all rows, which then wait for each other; long values; contradictions; locks that last; deadlocks. */
const ofAnOperator: readonly Attack[] = [
  change("all rows", (salt) => `update_view_hijacks(where: {}, _set: ${set(salt, 0)}) { affected_rows }`),
  change(
    "long values",
    (salt) => `update_view_hijacks(where: {}, _set: ${set(salt, 9_980)}) { returning { key comment } }`,
  ),
  change("many changes", (salt) => {
    const one = `{where: {comment: {_similar: "%(a|b)%x"}}, _set: ${set(salt, 10)}}`;
    return `update_view_hijacks_many(updates: [${Array.from({ length: 200 }, () => one).join(" ")}]) { affected_rows }`;
  }),
  change(
    "contradictions",
    (salt) =>
      `update_view_hijacks(where: {}, _set: {resolved: true, ignored: true, comment: "${salt}"}) { affected_rows }`,
  ),
  // The first field locks every row until the slow ones after it have ended.
  change("held locks", (salt) => {
    const slow = Array.from({ length: 20 }, (_item, index) => `slow${index}: ${halfOf(index, salt)}`);
    return `lock: update_view_hijacks(where: {}, _set: ${set(salt, 0)}) { affected_rows } ${slow.join(" ")}`;
  }),
  change("deadlocks", (salt) => `one: ${halfOf(salt, salt)} other: ${halfOf(salt + 1, salt)}`),
];

interface Result {
  readonly answers: readonly Answer[];
  /** Delays of the bystander during each attack. */
  readonly report: string;
  readonly p99: number;
  readonly restarted: readonly string[];
}

/** Runs attacks beside a bystander. */
async function beside(attack: () => Promise<readonly Attacked[]>): Promise<Result> {
  const before = await Promise.all(services.map(startsOf));
  const attacked = await attack();
  const answers = await bystander.answers();
  const after = await Promise.all(services.map(startsOf));
  const during = answers.filter(({ at }) => attacked.some(({ begin, end }) => at >= begin && at <= end));
  const shown = attacked.map(({ name, begin, end }) => {
    const own = answers.filter(({ at }) => at >= begin && at <= end);
    return `${name}: ${own.length} requests, p50 ${delay(own, 0.5)} ms, p99 ${delay(own, 0.99)} ms, longest ${delay(own, 1)} ms`;
  });
  const p99 = delay(during, 0.99);
  return {
    answers: during,
    report: [...shown, `in all: ${during.length} requests, p50 ${delay(during, 0.5)} ms, p99 ${p99} ms`].join("\n"),
    p99,
    restarted: services.filter((_service, index) => before[index] !== after[index]),
  };
}

/** In milliseconds. */
const delay = (answers: readonly Answer[], share: number): number =>
  percentile(
    answers.map(({ milliseconds }) => milliseconds),
    share,
  );

/** @param most milliseconds at p99 */
function expectHarmless({ answers, report, p99, restarted }: Result, most: number): void {
  console.log(report);
  expect(answers.length).toBeGreaterThan(10);
  expect(answers.filter(({ outcome }) => outcome !== "data")).toEqual([]);
  expect(restarted).toEqual([]);
  if (isAlone) expect(p99, report).toBeLessThan(most);
}

describe("a bystander with ten requests a second", () => {
  test("is not disturbed by a client without an account", { timeout: 240_000 }, async (context) => {
    requireLimit(context, "memory");
    const before = await usagesOf(services);
    expectHarmless(await beside(() => attackFromOutside({ seconds, attacks: withoutAccount })), 250);
    await expectMemory(before);
  });

  test("is not disturbed by one account", { timeout: 300_000 }, async (context) => {
    requireLimit(context, "memory");
    const before = await usagesOf(services);
    const token = await (await Member.join("viewer")).freshToken();
    expectHarmless(await beside(() => attackFromOutside({ seconds, token, attacks: ofAnAccount })), 500);
    await expectMemory(before);
  });

  test("is not disturbed by an operator who writes", { timeout: 300_000 }, async (context) => {
    requireLimit(context, "memory");
    const before = await usagesOf(services);
    const operator = await Member.join("operator");
    const token = await operator.freshToken();
    expectHarmless(await beside(() => attackFromOutside({ seconds, token, attacks: ofAnOperator })), 500);
    const owner = await database("owner");
    const { rows } = await owner.query(
      "select count(*)::int as changes from auth.audit_events where event = 'hijack-changed' and user_id = $1",
      [operator.account.id],
    );
    expect((rows as [{ changes: number }])[0].changes).toBeGreaterThan(10);
    await expectMemory(before);
  });

  test("has no error beside ten accounts at ten addresses", { timeout: 300_000 }, async (context) => {
    requireLimit(context, "memory");
    const before = await usagesOf(services);
    const tokens = await Promise.all(
      Array.from({ length: 10 }, async (_item, index) =>
        (await Member.join(index % 2 === 0 ? "viewer" : "operator")).freshToken(),
      ),
    );
    const result = await beside(async () => {
      // Each account begins with another attack, when all have started: a starting container needs a processor too.
      const startsAt = Date.now() + 20_000;
      const all = await Promise.all(
        tokens.map((token, index) => {
          const own = index % 2 === 0 ? ofAnAccount : [...ofAnOperator, ...ofAnAccount];
          return attackFromOutside({
            seconds,
            startsAt,
            token,
            attacks: [...own.slice(index), ...own.slice(0, index)],
          });
        }),
      );
      return [
        {
          name: "ten accounts",
          begin: Math.min(...all.flat().map(({ begin }) => begin)),
          end: Math.max(...all.flat().map(({ end }) => end)),
        },
      ];
    });
    expectHarmless(result, 2_000);
    await expectMemory(before, keptAfterTen);
  });
});

/** Memory of every service returns to its level within a minute. */
async function expectMemory(
  before: Awaited<ReturnType<typeof usagesOf<string>>>,
  kept: number = keptMemory,
): Promise<void> {
  const late = await usagesOf(services);
  console.log(
    services
      .map(
        (service) =>
          `${service} ${Math.round(before[service]!.memory)} MiB before, ${Math.round(late[service]!.memory)} MiB after`,
      )
      .join(", "),
  );
  await expect
    .poll(
      async () => {
        const now = await usagesOf(services);
        return services.filter(
          (service) => now[service]!.memory > Math.max(before[service]!.memory, warmMemory) + kept,
        );
      },
      { timeout: 60_000, interval: 2_000 },
    )
    .toEqual([]);
}
