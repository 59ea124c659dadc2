import { createHash } from "node:crypto";
import { LRUCache } from "lru-cache";
import { EngineError, errorReply, toEngineError } from "../../errors.ts";
import type { LiveQuery, PollAnswer, Session } from "../../interface.ts";
import { argument, finalText, identifier, listed, sql, type Sql } from "../../sql/sql.ts";
import type { Asker, Database } from "../database/database.ts";
import type { SubscriptionPlan } from "../plan/plan.ts";

interface Cohort {
  readonly role: string;
  /** Values such as `today` change the answers without a change of data. */
  readonly isRelative: boolean;
  readonly plan: SubscriptionPlan;
  readonly single: Sql;
  /** Statements by the positions at which their members differ. */
  readonly multiplexed: LRUCache<string, Sql>;
}

type Member = readonly unknown[];

/** Postgres' words for moments relative to now, in values of other types than text. */
const relativeTime = /\b(?:now|today|tomorrow|yesterday)\b/i;
const textTypes = /^"?(?:text|varchar|bpchar|citext|name|jsonb?)\b/;
const isRelativeTime = (type: Sql, value: string | null | undefined): boolean =>
  typeof value === "string" && relativeTime.test(value) && !textTypes.test(type);

export const followsTime = (
  { statement }: Pick<SubscriptionPlan, "statement">,
  values: readonly (string | null)[],
): boolean => statement.parameters.some(({ type }, position) => isRelativeTime(type, values[position]));

const mostVariants = 16;

/** Limit of cohorts. It drops cohorts without a release, for example after a server crash. */
const mostCohorts = 20_000;

/** Live queries by their shared values: one statement answers all members of a cohort. */
export class Cohorts {
  readonly #cohorts = new LRUCache<string, Cohort>({ max: mostCohorts });
  readonly #databaseOf: (source: string) => Database;

  constructor(databaseOf: (source: string) => Database) {
    this.#databaseOf = databaseOf;
  }

  add({ role, client = role }: Session, plan: SubscriptionPlan, parameters: readonly (string | null)[]): LiveQuery {
    const { statement } = plan;
    const isRelative = followsTime(plan, parameters);
    const key = createHash("sha256")
      .update(
        JSON.stringify([
          role,
          plan.kind,
          plan.namespace,
          plan.keys,
          plan.cursor,
          isRelative,
          statement.source,
          statement.template,
        ]),
      )
      .digest("base64url");
    if (!this.#cohorts.has(key))
      this.#cohorts.set(key, {
        role,
        plan,
        isRelative,
        single: finalText(statement.template),
        multiplexed: new LRUCache({ max: mostVariants }),
      });
    return { kind: plan.kind, cohortKey: key, parameters, client };
  }

  find(key: string): Pick<Cohort, "plan" | "isRelative"> | undefined {
    return this.#cohorts.get(key);
  }

  release(key: string): void {
    this.#cohorts.delete(key);
  }

  clear(): void {
    this.#cohorts.clear();
  }

  async poll(
    key: string,
    members: readonly Member[],
    askerOf: (role: string) => Asker,
  ): Promise<readonly PollAnswer[]> {
    const cohort = this.#cohorts.get(key);
    if (cohort === undefined)
      throw new EngineError({ code: "unexpected", message: "the live query is not known any more" });
    const distinct = new Map<string, Member>();
    for (const member of members) distinct.set(JSON.stringify(member), member);
    const unique = [...distinct.values()];
    const answers = await this.#answers(cohort, unique, askerOf(cohort.role));
    const byMember = new Map([...distinct.keys()].map((text, index) => [text, answers[index]]));
    return members.map(
      (member) =>
        byMember.get(JSON.stringify(member)) ?? failed(new EngineError({ code: "unexpected", message: "no answer" })),
    );
  }

  /** When the shared statement fails, each member's statement runs alone, so that one bad value affects only its owner. */
  async #answers(cohort: Cohort, members: readonly Member[], asker: Asker): Promise<readonly PollAnswer[]> {
    const database = this.#databaseOf(cohort.plan.statement.source);
    const [first] = members;
    if (first === undefined) return [];
    if (members.length === 1) return [await this.#alone(cohort, first, database, asker)];
    try {
      const rows = await database.run(this.#multiplex(cohort, members), asker);
      const answers = new Map(rows.map(([index, ...columns]) => [Number(index) - 1, columns]));
      return members.map((member, index) => answer(cohort.plan, member, answers.get(index) ?? []));
    } catch (error) {
      if (asker.signal?.aborted === true || !isOwnFault(error)) throw error;
      const alone: PollAnswer[] = [];
      for (const member of members) alone.push(await this.#alone(cohort, member, database, asker));
      return alone;
    }
  }

  async #alone(cohort: Cohort, member: Member, database: Database, asker: Asker): Promise<PollAnswer> {
    try {
      const [row = []] = await database.run({ text: cohort.single, values: member }, asker);
      return answer(cohort.plan, member, row);
    } catch (error) {
      if (asker.signal?.aborted === true || !isOwnFault(error)) throw error;
      return failed(await this.#fault(cohort, member, database, asker, toEngineError(error)));
    }
  }

  /** As in Hasura, a wrong value in the client's request is the error. The message names no other wrong value. */
  async #fault(
    { plan }: Cohort,
    member: Member,
    database: Database,
    asker: Asker,
    found: EngineError,
  ): Promise<EngineError> {
    if (found.code !== "data-exception" && found.code !== "unexpected") return found;
    const given = plan.statement.parameters.flatMap(({ source, type }, position) =>
      source.kind === "constant" || source.kind === "variable" ? [{ type, value: member[position] }] : [],
    );
    try {
      const text = sql`SELECT ${listed(given.map(({ type }, index) => sql`${argument(index + 1)}::${type}`))}`;
      if (given.length > 0) await database.run({ text, values: given.map(({ value }) => value) }, asker);
    } catch (error) {
      if (asker.signal?.aborted === true || !isOwnFault(error)) throw error;
      return toEngineError(error);
    }
    if (found.code === "unexpected") return found;
    return new EngineError({ code: "unexpected", path: "$", message: "database query error" });
  }

  /** Values that all members share stay plain parameters, for better plans; the others come from a list of members. */
  #multiplex(cohort: Cohort, members: readonly Member[]): { text: Sql; values: readonly unknown[] } {
    const { template, parameters } = cohort.plan.statement;
    const first = members[0] ?? [];
    const varies = parameters.map((_parameter, position) =>
      members.some((member) => member[position] !== first[position]),
    );
    const mask = varies.map((yes) => (yes ? "1" : "0")).join("");
    const shared = varies.flatMap((yes, position) => (yes ? [] : [position]));
    const varying = varies.flatMap((yes, position) => (yes ? [position] : []));
    let text = cohort.multiplexed.get(mask);
    if (text === undefined) {
      const names = varying.map((position) => identifier(`v${position + 1}`));
      const lists = varying.map((_position, index) => sql`${argument(shared.length + index + 1)}::text[]`);
      const statement = finalText(template, (position) =>
        varies[position - 1] === true
          ? sql`"m".${identifier(`v${position}`)}`
          : argument(shared.indexOf(position - 1) + 1),
      );
      text = sql`SELECT "m"."i", "s".* FROM unnest(${listed(lists)}) WITH ORDINALITY AS "m"(${listed([...names, sql`"i"`])}) CROSS JOIN LATERAL (${statement}) AS "s"`;
      cohort.multiplexed.set(mask, text);
    }
    return {
      text,
      values: [
        ...shared.map((position) => first[position]),
        ...varying.map((position) => members.map((member) => member[position])),
      ],
    };
  }
}

function isOwnFault(error: unknown): boolean {
  return error instanceof EngineError && error.code !== "postgres-error";
}

function failed(error: EngineError): PollAnswer {
  const answered = { text: errorReply(error), failed: true, empty: false };
  if (error.code === "busy") return { ...answered, overload: error, mayPass: true };
  return error.code === "timeout" ? answered : { ...answered, fault: error };
}

function answer(plan: SubscriptionPlan, member: Member, row: readonly (string | null)[]): PollAnswer {
  const values = plan.keys.map((key, index) => `${JSON.stringify(key)}:${row[index] ?? "null"}`).join(",");
  const data = plan.namespace === undefined ? `{${values}}` : `{${JSON.stringify(plan.namespace)}:{${values}}}`;
  const text = `{"data":${data}}`;
  if (plan.cursor === undefined) return { text, failed: false, empty: false };
  const place = row[plan.keys.length];
  if (place === null || place === undefined) return { text, failed: false, empty: true };
  const { cursor } = plan;
  return {
    text,
    failed: false,
    empty: false,
    nextParameters: member.map((value, position) => (position === cursor ? place : value)),
  };
}
