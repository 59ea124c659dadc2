import { expect, test } from "vitest";
import { master, post } from "../../e2e/support/clients/graphql.ts";
import { countInputs, countNormal } from "./figures.ts";

/** One hostile input. `run` describes a result that it should not have received, or returns undefined when it was rejected. */
export interface Attack {
  readonly name: string;
  run(): Promise<string | undefined>;
}

/** Maximum waiting time of a normal client under attack on this machine, in milliseconds. */
const patience = 20_000;

/** A normal request is answered within {@link patience}. */
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
  /** Number of concurrent attacks. */
  readonly atOnce?: number;
  /** Time limit for all attacks in milliseconds. */
  readonly timeout?: number;
  /** Runs together with similar attacks: most of its time it waits for the disconnect. */
  readonly waits?: boolean;
}

/** A test of a group of attacks: all are rejected, and the service answers during and after them. */
export function attacks(
  title: string,
  list: () => Promise<readonly Attack[]> | readonly Attack[],
  options: Options = {},
): void {
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
    countInputs(title, total, through.length);
    expect(through).toEqual([]);
  });
}

/** Describes a status that should be a rejection: undefined for 4xx. */
export function notRefused(status: number, text: string): string | undefined {
  return status >= 400 && status < 500 ? undefined : `${status} ${text.slice(0, 200)}`;
}

/** Describes a GraphQL reply that should be a rejection: errors without data, and a status that is not a server failure. */
export function gotData(status: number, text: string): string | undefined {
  if (status >= 500) return `${status} ${text.slice(0, 200)}`;
  if (status >= 400) return undefined;
  const body = JSON.parse(text) as { data?: unknown; errors?: unknown };
  return body.errors !== undefined && (body.data ?? null) === null ? undefined : `${status} ${text.slice(0, 200)}`;
}
