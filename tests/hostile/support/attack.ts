import { expect, test } from "vitest";
import { master, post } from "../../e2e/support/graphql.ts";
import { countInputs, countNormal } from "./figures.ts";

/** One hostile input: `run` gives what it got that it should not have, in words, or nothing when it was refused. */
export interface Attack {
  readonly name: string;
  run(): Promise<string | undefined>;
}

/** What a normal client waits at most, whatever happens beside it on this machine. */
const patience = 20_000;

/** A normal request is answered, within {@link patience}. */
export async function serviceAnswers(): Promise<void> {
  const startedAt = performance.now();
  const reply = await post("{ view_hijacks(limit: 1) { __typename } }", master);
  const milliseconds = performance.now() - startedAt;
  expect(reply.status, reply.text).toBe(200);
  expect(reply.text).toMatch(/^\{"data":/);
  expect(milliseconds).toBeLessThan(patience);
  countNormal(milliseconds);
}

export interface Options {
  /** Attacks at one time. */
  readonly atOnce?: number;
  /** Milliseconds for all. */
  readonly timeout?: number;
  /** Runs together with other such attacks: most of its time it waits to be cut off. */
  readonly waits?: boolean;
}

/** A test of a group of attacks: all are refused, and the service answers during them and afterwards. */
export function attacks(title: string, list: () => Promise<readonly Attack[]> | readonly Attack[], options: Options = {}): void {
  const { atOnce = 8, timeout = 120_000, waits = false } = options;
  (waits ? test.concurrent : test)(title, { timeout }, async () => {
    const waiting = [...(await list())];
    const total = waiting.length;
    expect(total).toBeGreaterThan(0);
    const through: string[] = [];
    async function work(): Promise<void> {
      for (let attack = waiting.shift(); attack !== undefined; attack = waiting.shift()) {
        const got = await attack.run().catch((error: unknown) => `failed: ${String(error)}`);
        if (got !== undefined) through.push(`${attack.name}: ${got}`);
      }
    }
    const normal = serviceAnswers();
    await Promise.all([normal, ...Array.from({ length: atOnce }, work)]);
    await serviceAnswers();
    countInputs(total, through.length);
    expect(through).toEqual([]);
  });
}

/** What is wrong with a status that should refuse: undefined for 4xx. */
export function notRefused(status: number, text: string): string | undefined {
  return status >= 400 && status < 500 ? undefined : `${status} ${text.slice(0, 200)}`;
}

/** What is wrong with a GraphQL answer that should refuse: errors and no data, with a status that is not a failure of ours. */
export function gotData(status: number, text: string): string | undefined {
  if (status >= 500) return `${status} ${text.slice(0, 200)}`;
  if (status >= 400) return undefined;
  const body = JSON.parse(text) as { data?: unknown; errors?: unknown };
  return body.errors !== undefined && (body.data ?? null) === null ? undefined : `${status} ${text.slice(0, 200)}`;
}
