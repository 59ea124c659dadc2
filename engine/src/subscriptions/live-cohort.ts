import { hash } from "node:crypto";
import type { LiveQuery, PollAnswer } from "../engine.ts";
import type { Listener, Subscription } from "../executor.ts";
import { CohortBatches, handOver, Newcomers, PassingFailures, pollBatch, pollGroups, type Polling } from "./polling.ts";
import { type Outcome, Rounds } from "./rounds.ts";

/** Longer answers are remembered by their digest. */
const longestKept = 4_096;

/** A value that distinguishes an answer from a later one. */
function fingerprint(text: string): string {
  return text.length <= longestKept ? text : `sha256 ${hash("sha256", text, "base64")}`;
}

/** Why members are polled. */
type Reason = "round" | "newcomers";

interface Subscriber {
  readonly listener: Listener;
  readonly client: string;
  /** Statements started up to this number are too old to be its first answer. */
  readonly joinedAt: number;
  waitsForFirst: boolean;
}

interface Member {
  readonly parameters: readonly unknown[];
  readonly subscribers: Set<Subscriber>;
  last: string | undefined;
  /** Number of the newest answered statement; a late answer of an older one is dropped. */
  answeredBy: number;
  readonly failures: PassingFailures;
}

/** All subscribers of one live query statement, run together. A new one's first answer comes from a statement after its arrival. */
export class LiveCohort {
  readonly #key: string;
  readonly #polling: Polling;
  readonly #onEmpty: () => void;
  readonly #members = new Map<string, Member>();
  readonly #rounds: Rounds;
  readonly #batches: CohortBatches<Member>;
  /** Members with new subscribers. */
  readonly #fresh = new Newcomers<Member>(async (members) => {
    const { unfinished } = await this.#poll([...new Set(members)], "newcomers");
    if (unfinished) this.#rounds.again();
  });
  #statements = 0;

  constructor(key: string, polling: Polling, onEmpty: () => void) {
    this.#key = key;
    this.#polling = polling;
    this.#onEmpty = onEmpty;
    this.#batches = new CohortBatches(key, polling.batchSize, clientOf);
    this.#rounds = new Rounds(polling, key, () => this.#poll([...this.#members.values()], "round"));
  }

  get members(): number {
    return this.#members.size;
  }

  get subscribers(): number {
    let count = 0;
    for (const member of this.#members.values()) count += member.subscribers.size;
    return count;
  }

  subscribe({ parameters, client }: Pick<LiveQuery, "parameters" | "client">, listener: Listener): Subscription {
    const memberKey = JSON.stringify(parameters);
    let member = this.#members.get(memberKey);
    if (member === undefined) {
      member = { parameters, subscribers: new Set(), last: undefined, answeredBy: 0, failures: new PassingFailures() };
      this.#members.set(memberKey, member);
    }
    const subscriber = { listener, client, joinedAt: this.#statements, waitsForFirst: true };
    member.subscribers.add(subscriber);
    this.#fresh.add(member);
    return { stop: () => this.#leave(memberKey, member, subscriber) };
  }

  stop(): void {
    this.#rounds.stop();
    this.#members.clear();
  }

  #leave(memberKey: string, member: Member, subscriber: Subscriber): void {
    if (!member.subscribers.delete(subscriber) || member.subscribers.size > 0) return;
    if (this.#members.get(memberKey) === member) this.#members.delete(memberKey);
    member.last = undefined; // the answer is long, and the Map may keep the member alive for the reason in Watchdog
    if (this.#members.size > 0 || this.#rounds.isStopped) return;
    this.stop();
    this.#onEmpty();
  }

  async #poll(members: readonly Member[], reason: Reason): Promise<Outcome> {
    const outcome = { changed: false, unfinished: false };
    await pollGroups(this.#polling, this.#batches.of(members), ({ items, client }) =>
      this.#pollBatch(items, client, outcome, reason),
    );
    return outcome;
  }

  async #pollBatch(
    batch: readonly Member[],
    client: string | undefined,
    outcome: Outcome,
    reason: Reason,
  ): Promise<void> {
    const wanted = batch.filter(({ subscribers }) => subscribers.size > 0);
    if (this.#rounds.isStopped || wanted.length === 0) return;
    this.#statements += 1;
    const statement = this.#statements;
    const parameters = wanted.map((member) => member.parameters);
    const took = (milliseconds: number): void => {
      this.#batches.took(milliseconds, client);
      this.#rounds.took(milliseconds);
    };
    const { signal } = this.#rounds;
    const answers = await pollBatch(this.#polling, this.#key, parameters, { signal, client, took });
    if (this.#rounds.isStopped) return;
    for (const [index, member] of wanted.entries()) {
      const answer = answers[index];
      if (answer === undefined || answer.failed) outcome.unfinished = true;
      if (answer !== undefined && member.subscribers.size > 0 && statement > member.answeredBy)
        outcome.changed = take(member, answer, statement, reason) || outcome.changed;
    }
  }
}

/** Client of the first subscriber with these parameters. */
function clientOf({ subscribers }: Member): string {
  for (const { client } of subscribers) return client;
  return "";
}

/** @returns whether the answer differs from an earlier one */
function take(member: Member, answer: PollAnswer, statement: number, reason: Reason): boolean {
  member.answeredBy = statement;
  // Many newcomers in a second would use up the failures of the others. The next round answers them.
  if (answer.mayPass === true && reason === "newcomers" && member.last !== undefined) return false;
  if (member.failures.skips(answer, member.last === undefined)) return false;
  const print = fingerprint(answer.text);
  const changed = print !== member.last;
  const differs = changed && member.last !== undefined;
  member.last = print;
  for (const subscriber of member.subscribers) {
    if (subscriber.joinedAt >= statement || (!changed && !subscriber.waitsForFirst)) continue;
    const isFirst = subscriber.waitsForFirst;
    subscriber.waitsForFirst = false;
    handOver(subscriber.listener, answer, isFirst);
  }
  return differs;
}
