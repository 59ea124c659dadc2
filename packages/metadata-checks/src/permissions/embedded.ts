import { buildSchema } from "graphql";
import { type Engine, type Session, toEngineError } from "@routeql/engine";
import { type Failure, failureWith, type Reply, replyOf, type Served, Unanswered, type Variables } from "./served.ts";

const sessionOf = (role: string, variables: Variables): Session => ({
  role,
  isAdmin: false,
  variables: new Map(Object.entries(variables)),
});

/** The embedded engine in this process. */
export class EmbeddedServed implements Served {
  readonly kind = "embedded";
  readonly #engine: Engine;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  schema(role: string) {
    return buildSchema(this.#engine.schemaText(role));
  }

  takes(): boolean {
    return true;
  }

  async ask(role: string, variables: Variables, document: string): Promise<Reply> {
    try {
      const session = sessionOf(role, variables);
      if (!document.startsWith("subscription"))
        return replyOf(await this.#engine.execute({ query: document }, session));
      const live = this.#engine.prepareSubscription({ query: document }, session);
      const [answer] = await this.#engine.poll(live.cohortKey, [live.parameters]);
      this.#engine.release(live.cohortKey);
      return replyOf(answer?.text ?? "{}");
    } catch (error) {
      return { failure: failureOf(error) };
    }
  }

  /** One statement answers all sessions. */
  async askTogether(role: string, sessions: readonly Variables[], document: string): Promise<readonly Reply[]> {
    const prepared = sessions.map((variables) => {
      try {
        return this.#engine.prepareSubscription({ query: document }, sessionOf(role, variables));
      } catch (error) {
        return failureOf(error);
      }
    });
    const members = prepared.flatMap((live) => ("cohortKey" in live ? [live] : []));
    const key = members[0]?.cohortKey;
    const answers =
      key === undefined
        ? []
        : await this.#engine.poll(
            key,
            members.map(({ parameters }) => parameters),
          );
    if (key !== undefined) this.#engine.release(key);
    let next = 0;
    return prepared.map((live) => ("cohortKey" in live ? replyOf(answers[next++]?.text ?? "{}") : { failure: live }));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#engine.close();
  }
}

function failureOf(error: unknown): Failure {
  if (error instanceof Unanswered) throw error;
  const known = toEngineError(error);
  const { message, extensions } = known.toJSON();
  const { error: inner } = (known.internal ?? {}) as { error?: string | { message?: string } };
  return failureWith({ message, ...extensions }, typeof inner === "string" ? inner : inner?.message);
}
