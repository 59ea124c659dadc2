import { Kind, parse } from "graphql";
import { compareAnswers } from "./compare.ts";
import type { Case, Command, LiveQuery, Step } from "./cases.ts";
import { compareLiveQuery } from "./live-query.ts";
import { UnknownCommand } from "./metadata-builder.ts";
import type { Stage } from "./stage.ts";
import type { Transport } from "./transports.ts";

export type Outcome =
  | { readonly kind: "passed"; readonly notes: readonly string[] }
  | {
      readonly kind: "failed";
      readonly step: number;
      readonly description: string | undefined;
      readonly difference: string;
      readonly query: unknown;
    }
  | { readonly kind: "skipped"; readonly reason: string };

const graphqlPath = /^\/(v1|v1alpha1)\/graphql$/;
const commandPath = /^\/(v1\/query|v2\/query|v1\/metadata)$/;

function queriesOf(query: unknown): readonly string[] {
  if (Array.isArray(query)) return query.flatMap(queriesOf);
  const text = typeof query === "object" && query !== null && "query" in query ? query.query : undefined;
  return typeof text === "string" ? [text] : [];
}

function rootFieldsOf(query: unknown): readonly string[] {
  return queriesOf(query).flatMap((text) =>
    parse(text).definitions.flatMap((definition) =>
      definition.kind === Kind.OPERATION_DEFINITION
        ? definition.selectionSet.selections.flatMap((selection) =>
            selection.kind === Kind.FIELD ? [selection.name.value] : [],
          )
        : [],
    ),
  );
}

/** Letters and digits of a name, which every naming convention keeps. */
function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, "");
}

/** Names of the tables and functions that commands track. */
function trackedNames(commands: readonly unknown[]): readonly string[] {
  return commands.flatMap((command) => {
    const { type, args } = command as Command;
    if (!/track_(table|function)$/.test(type)) return [];
    const named = typeof args === "object" && args !== null ? args : { name: args };
    const target: unknown =
      "name" in named ? named.name : "table" in named ? named.table : "function" in named ? named.function : undefined;
    const name = typeof target === "object" && target !== null && "name" in target ? target.name : target;
    return typeof name === "string" ? [plain(name)] : [];
  });
}

/** Commands and mutations change the data of the next case, so such a case needs its own stage. */
export function changesStage({ steps }: Case): boolean {
  return steps.some(
    ({ url, query }) => commandPath.test(url) || queriesOf(query).some((text) => /\bmutation\b/.test(text)),
  );
}

function expectsData(response: unknown): boolean {
  return typeof response === "object" && response !== null && "data" in response;
}

function isReadable(query: unknown): boolean {
  try {
    for (const text of queriesOf(query)) parse(text);
    return true;
  } catch {
    return false;
  }
}

function differingHeader(expected: Step["answerHeaders"], found: Headers): string | undefined {
  const differing = Object.entries(expected).find(([name, value]) => found.get(name) !== value);
  return differing && `expected the header ${differing[0]}: ${differing[1]}, found ${String(found.get(differing[0]))}`;
}

export class CaseRunner {
  readonly #stage: Stage;
  readonly #transport: Transport;
  readonly #setup: readonly Command[];

  constructor(stage: Stage, transport: Transport, setup: readonly Command[]) {
    this.#stage = stage;
    this.#transport = transport;
    this.#setup = setup;
  }

  async run(one: Case): Promise<Outcome> {
    const outcome = await this.#outcome(one);
    const { leftOut } = this.#stage;
    if (leftOut.length === 0 || outcome.kind === "skipped") return outcome;
    const remark = `left out of the setup: ${leftOut.join(", ")}`;
    return outcome.kind === "passed"
      ? { ...outcome, notes: [...outcome.notes, remark] }
      : { ...outcome, difference: `${outcome.difference}\n      ${remark}` };
  }

  async #outcome({ steps, liveQuery, unusable }: Case): Promise<Outcome> {
    if (unusable !== undefined) return { kind: "skipped", reason: unusable };
    if (liveQuery !== undefined) return await this.#explain(liveQuery);
    const notes: string[] = [];
    let ran = 0;
    let leftOut = "";
    for (const [index, step] of steps.entries()) {
      const reason = this.#cannotRun(step) ?? this.#notSetUp(step, steps);
      if (reason !== undefined) {
        leftOut = reason;
        continue;
      }
      let problem: string | undefined;
      try {
        problem = commandPath.test(step.url) ? await this.#command(step) : await this.#request(step, notes);
      } catch (error) {
        if (error instanceof UnknownCommand) return { kind: "skipped", reason: error.message };
        problem = (error as Error).message;
      }
      if (problem !== undefined)
        return {
          kind: "failed",
          step: index + 1,
          description: step.description,
          difference: problem,
          query: step.query,
        };
      if (graphqlPath.test(step.url) || step.status !== 200) ran += 1;
    }
    if (ran === 0) return { kind: "skipped", reason: leftOut === "" ? "no GraphQL request in it" : leftOut };
    return { kind: "passed", notes: leftOut === "" ? notes : [...notes, `left out: ${leftOut}`] };
  }

  async #explain(liveQuery: LiveQuery): Promise<Outcome> {
    if (this.#transport.name === "websocket") return { kind: "skipped", reason: "over HTTP only: /v1/graphql/explain" };
    const difference = await compareLiveQuery(this.#stage.port, this.#secretHeaders(), liveQuery).catch(
      (error: Error) => error.message,
    );
    if (difference !== undefined)
      return { kind: "failed", step: 1, description: undefined, difference, query: liveQuery };
    return { kind: "passed", notes: ["its statement explained"] };
  }

  #secretHeaders(): Record<string, string> {
    return this.#stage.withoutSecret ? {} : { "x-hasura-admin-secret": this.#stage.secret };
  }

  #cannotRun(step: Step): string | undefined {
    if (commandPath.test(step.url)) return undefined;
    if (!graphqlPath.test(step.url)) return `${step.url} is not an endpoint of the GraphQL API`;
    if (!isReadable(step.query) && expectsData(step.response))
      return "the document is not GraphQL, but data is expected";
    if (this.#transport.name === "websocket" && step.method !== "POST") return `over HTTP only: ${step.method}`;
    if (this.#transport.name === "websocket" && step.url !== "/v1/graphql") return `over HTTP only: ${step.url}`;
    if (this.#transport.name === "websocket" && Array.isArray(step.query)) return "over HTTP only: a batch";
    return undefined;
  }

  /** Some cases query tables that neither the folder's setup nor an earlier step of the case creates. */
  #notSetUp(step: Step, steps: readonly Step[]): string | undefined {
    if (!graphqlPath.test(step.url) || !expectsData(step.response)) return undefined;
    const commands = [...this.#setup, ...steps.filter(({ url }) => commandPath.test(url)).map(({ query }) => query)];
    const text = plain(JSON.stringify(commands));
    const tracked = trackedNames(commands);
    const fields = rootFieldsOf(step.query).filter((name) => !name.startsWith("__") && name !== "no_queries_available");
    const missing = fields.find(
      (name) => !text.includes(plain(name)) && !tracked.some((known) => plain(name).includes(known)),
    );
    return missing === undefined ? undefined : `nothing in the folder sets up ${missing}`;
  }

  /** Applies a command of Hasura's API to the metadata or the database; of a rejection only the status is compared, not the text. */
  async #command(step: Step): Promise<string | undefined> {
    const command = step.query as Command;
    if (step.status !== 200)
      return (await this.#stage.refuses(command))
        ? undefined
        : `the command should have been refused with status ${step.status}`;
    try {
      await this.#stage.change(command);
      return undefined;
    } catch (error) {
      if (error instanceof UnknownCommand) throw error;
      return `the command was refused: ${(error as Error).message}`;
    }
  }

  async #request(step: Step, notes: string[]): Promise<string | undefined> {
    const headers = { ...this.#secretHeaders(), ...step.headers };
    const answer = await this.#transport.send(this.#stage.port, {
      url: step.url,
      method: step.method,
      headers,
      body: step.query,
    });
    if (answer.status !== step.status)
      return `expected status ${step.status}, found ${answer.status}: ${JSON.stringify(answer.body)}`;
    const header = answer.headers === undefined ? undefined : differingHeader(step.answerHeaders, answer.headers);
    if (header !== undefined) return header;
    const wanted = step.allowedResponses ?? (step.response === undefined ? [] : [step.response]);
    if (wanted.length === 0) return undefined;
    const compared = wanted.map((expected) => compareAnswers(step.query, expected, answer.body));
    const agreeing = compared.find(({ difference }) => difference === undefined);
    if (agreeing?.note !== undefined) notes.push(agreeing.note);
    return agreeing === undefined ? compared[0]?.difference : undefined;
  }
}
