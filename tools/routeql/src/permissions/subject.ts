import { createEngine, type Engine, EngineError, type Session, toEngineError } from "../../../../engine/src/engine.ts";
import type { Catalog } from "../../../../engine/src/catalog/catalog.ts";
import { type DeclaredAccess, declaredAccess, UnderivableMetadata } from "../../../../engine/src/permissions/declared.ts";
import { rolesWithPermission } from "../../../../engine/src/metadata/roles.ts";
import type { Metadata } from "../../../../engine/src/metadata/shape.ts";
import { UsageError } from "../cli/usage-error.ts";
import { ReadOnlyDatabase, stateOn } from "../metadata/database.ts";
import type { ReadProject } from "../metadata/project.ts";

/** Values of session variables by their lower-case names. */
export type Variables = Readonly<Record<string, string>>;

export interface Failure {
  readonly code: string;
  readonly path: string;
  readonly message: string;
}

/** What a role's client gets: data, with numbers as their texts, or an error. */
export type Reply = { readonly data: Readonly<Record<string, unknown>>; readonly failure?: undefined } | { readonly data?: undefined; readonly failure: Failure };

export interface SubjectOptions {
  readonly inferFunctionPermissions: boolean;
  /** Milliseconds a statement may take. */
  readonly statementTimeout: number;
  /** The source, where an error is to name it. */
  readonly called?: string | undefined;
  /** What the engine serves instead of the metadata themselves: to show that a difference is found. */
  readonly served?: Readonly<Record<string, unknown>>;
}

/** JSON whose numbers stay the texts that Postgres wrote, so that none is rounded. */
export function parseExactly(text: string): unknown {
  return JSON.parse(text, (_key, value: unknown, context?: { readonly source?: string }) => (typeof value === "number" ? `#${context?.source ?? value}` : value));
}

/** What is verified: metadata, an engine that serves them, and the database asked apart from it. */
export class Subject implements AsyncDisposable {
  readonly access: DeclaredAccess;
  readonly catalog: Catalog;
  readonly metadata: Metadata;
  readonly database: ReadOnlyDatabase;
  readonly #engine: Engine;

  private constructor(access: DeclaredAccess, catalog: Catalog, metadata: Metadata, database: ReadOnlyDatabase, engine: Engine) {
    this.access = access;
    this.catalog = catalog;
    this.metadata = metadata;
    this.database = database;
    this.#engine = engine;
  }

  /** @param project metadata of one source @throws UsageError for metadata that do not fit the database, or whose permissions cannot be derived */
  static async open(project: ReadProject, address: string, { inferFunctionPermissions, statementTimeout, called, served }: SubjectOptions): Promise<Subject> {
    const { metadata } = project;
    const [source, ...others] = metadata.sources;
    if (source === undefined || others.length > 0) throw new Error(`a subject has one source, not ${metadata.sources.length}`);
    const database = await ReadOnlyDatabase.open(address, { statementTimeout, source: called });
    try {
      const state = await stateOn(() => database, project, inferFunctionPermissions);
      const unfit = state.inconsistencies.filter(({ kind }) => kind === "inconsistent");
      if (unfit.length > 0) {
        const lines = unfit.map((problem) => `  ${project.positionOf(problem).file}:${project.positionOf(problem).line}: ${problem.reason}`);
        throw new UsageError(`the metadata do not fit the database:\n${lines.join("\n")}`);
      }
      const catalog = await database.catalog(source);
      const access = declaredAccess(metadata, { catalog, inferFunctionPermissions });
      const engine = await createEngine({
        metadata: withAddress(served ?? project.loaded.merged, address),
        allowUnsupported: true,
        rolesElsewhere: rolesWithPermission(project.whole.merged),
        inferFunctionPermissions,
        statementTimeout,
        poolSize: 2,
        maxDepth: 0,
        maxBreadth: 0,
        maxQueryLength: 1 << 24,
      });
      return new Subject(access, catalog, metadata, database, engine);
    } catch (error) {
      await database[Symbol.asyncDispose]();
      if (error instanceof UnderivableMetadata) throw new UsageError(error.message);
      throw error;
    }
  }

  schemaText(role: string): string {
    return this.#engine.schemaText(role);
  }

  /** Asks as a client of a role would; a subscription gives its first answer. */
  async ask(role: string, variables: Variables, document: string): Promise<Reply> {
    const session: Session = { role, isAdmin: false, variables: new Map(Object.entries(variables)) };
    try {
      if (!document.startsWith("subscription")) return replyOf(await this.#engine.execute({ query: document }, session));
      const live = this.#engine.prepareSubscription({ query: document }, session);
      const [answer] = await this.#engine.poll(live.cohortKey, [live.parameters]);
      this.#engine.release(live.cohortKey);
      return replyOf(answer?.text ?? "{}");
    } catch (error) {
      return { failure: failureOf(error) };
    }
  }

  /** First answers of one live query for many sessions, which one statement answers. */
  async askTogether(role: string, sessions: readonly Variables[], document: string): Promise<readonly Reply[]> {
    const prepared = sessions.map((variables) => {
      try {
        return this.#engine.prepareSubscription({ query: document }, { role, isAdmin: false, variables: new Map(Object.entries(variables)) });
      } catch (error) {
        return failureOf(error);
      }
    });
    const members = prepared.flatMap((live) => ("cohortKey" in live ? [live] : []));
    const key = members[0]?.cohortKey;
    const answers = key === undefined ? [] : await this.#engine.poll(key, members.map(({ parameters }) => parameters));
    if (key !== undefined) this.#engine.release(key);
    let next = 0;
    return prepared.map((live) => ("cohortKey" in live ? replyOf(answers[next++]?.text ?? "{}") : { failure: live }));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#engine.close();
    await this.database[Symbol.asyncDispose]();
  }
}

function failureOf(error: unknown): Failure {
  const { message, extensions } = toEngineError(error).toJSON();
  if (error instanceof EngineError && error.code === "postgres-error") throw new UsageError("the database went away");
  return { message, ...extensions };
}

function replyOf(text: string): Reply {
  const reply = parseExactly(text) as { data?: Readonly<Record<string, unknown>>; errors?: readonly { message: string; extensions: { code: string; path: string } }[] };
  const [error] = reply.errors ?? [];
  if (error !== undefined) return { failure: { message: error.message, ...error.extensions } };
  return { data: reply.data ?? {} };
}

/** The merged metadata with the database that was given instead of their own. */
function withAddress(merged: Readonly<Record<string, unknown>>, address: string): Readonly<Record<string, unknown>> {
  const { sources } = merged as { readonly sources: readonly { readonly configuration: object }[] };
  return { ...merged, sources: sources.map((source) => ({ ...source, configuration: { ...source.configuration, connection_info: { database_url: address } } })) };
}
