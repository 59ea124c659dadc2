import type { GraphQLSchema } from "graphql";
import { createEngine } from "@routeql/engine";
import type { Catalog } from "@routeql/metadata/catalog/catalog";
import { type DeclaredAccess, declaredAccess, UnderivableMetadata } from "../../declared/declared.ts";
import { rolesWithPermission } from "@routeql/metadata/read/roles";
import type { Metadata } from "@routeql/metadata/read/shape";
import { UsageError } from "../../cli/usage-error.ts";
import { databaseName, ReadOnlyDatabase } from "../../metadata/database.ts";
import { type Fitted, fitted } from "../../metadata/fitting.ts";
import type { ReadProject } from "../../metadata/project.ts";
import { EmbeddedServed, type RunningEngine, RunningServed } from "./engines.ts";
import {
  type Mutation,
  OutOfTime,
  type Rehearsed,
  type Reply,
  type Served,
  type Unanswered,
  type Variables,
} from "./served.ts";

/** Verifications at once on the embedded engine. A running engine receives one request after another. */
const concurrency = 4;

export interface SubjectOptions {
  readonly inferFunctionPermissions: boolean;
  /** Milliseconds for one statement. */
  readonly statementTimeout: number;
  /** The time, as of `performance.now()`, after which no request is sent; default: no limit. */
  readonly until?: number | undefined;
  /** Name of the source for errors. */
  readonly called?: string | undefined;
  /** The engine that is verified; default: the embedded one, in this process. */
  readonly running?: RunningEngine | undefined;
  /** Other metadata for the embedded engine, to test that a difference is found. */
  readonly served?: Readonly<Record<string, unknown>>;
}

/** Metadata, an engine that serves it, and a separate connection to the database. */
export class Subject implements AsyncDisposable {
  readonly access: DeclaredAccess;
  readonly catalog: Catalog;
  readonly metadata: Metadata;
  /** The metadata without the objects that are not examined. */
  readonly project: ReadProject;
  /** Objects that are not examined. */
  readonly left: Fitted["left"];
  readonly database: ReadOnlyDatabase;
  readonly kind: Served["kind"];
  /** Whether mutations are tried: the embedded engine stores none, and a running one needs a disposable database. */
  readonly triesWrites: boolean;
  readonly #served: Served;
  readonly #until: number;

  private constructor(
    access: DeclaredAccess,
    catalog: Catalog,
    project: ReadProject,
    left: Fitted["left"],
    database: ReadOnlyDatabase,
    served: Served,
    triesWrites: boolean,
    until = Number.POSITIVE_INFINITY,
  ) {
    this.access = access;
    this.catalog = catalog;
    this.project = project;
    this.left = left;
    this.metadata = project.metadata;
    this.database = database;
    this.kind = served.kind;
    this.triesWrites = triesWrites;
    this.#served = served;
    this.#until = until;
  }

  /** @param given metadata of one source @throws UsageError if the database does not answer or the permissions cannot be derived */
  static async open(given: ReadProject, address: string, options: SubjectOptions): Promise<Subject> {
    const { inferFunctionPermissions, statementTimeout, called, running } = options;
    const [source, ...others] = given.metadata.sources;
    if (source === undefined || others.length > 0)
      throw new Error(`a subject has one source, not ${given.metadata.sources.length}`);
    const database = await ReadOnlyDatabase.open(address, {
      statementTimeout,
      source: called,
      connections: running === undefined ? concurrency : 1,
    });
    try {
      const { project, left } = await fitted(given, database, inferFunctionPermissions);
      const { metadata } = project;
      const [fitting = source] = metadata.sources;
      const catalog = await database.catalog(fitting);
      const access = declaredAccess(metadata, { catalog, inferFunctionPermissions });
      const served =
        running === undefined
          ? await embedded(project, address, options)
          : new RunningServed(running, access, database);
      if (served instanceof RunningServed) await served.check();
      const triesWrites = running === undefined || running.disposable === databaseName(address);
      return new Subject(access, catalog, project, left, database, served, triesWrites, options.until);
    } catch (error) {
      await database[Symbol.asyncDispose]();
      if (error instanceof UnderivableMetadata) throw new UsageError(error.message);
      throw error;
    }
  }

  /** The schema of a role; undefined if only introspection returns it. */
  schema(role: string): GraphQLSchema | undefined {
    return this.#served.schema(role);
  }

  get concurrency(): number {
    return this.kind === "embedded" ? concurrency : 1;
  }

  takes(variables: Variables): boolean {
    return this.#served.takes(variables);
  }

  /** Sends a document as a role; for a subscription, returns the first answer. @throws Unanswered or OutOfTime */
  async ask(role: string, variables: Variables, document: string): Promise<Reply> {
    this.#requireTime();
    return this.#served.ask(role, variables, document);
  }

  /** First answers of one live query for many sessions, or the reason why there is none. @throws Unanswered */
  async askTogether(
    role: string,
    sessions: readonly Variables[],
    document: string,
  ): Promise<readonly (Reply | Unanswered)[]> {
    return this.#served.askTogether(role, sessions, document);
  }

  /** Runs a mutation without storing its changes, and `look` before and after it. @throws Unanswered or OutOfTime */
  async rehearse(role: string, variables: Variables, mutation: Mutation, look: string): Promise<Rehearsed> {
    this.#requireTime();
    return this.#served.rehearse(role, variables, mutation, look);
  }

  #requireTime(): void {
    if (performance.now() > this.#until) throw new OutOfTime();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#served[Symbol.asyncDispose]();
    await this.database[Symbol.asyncDispose]();
  }
}

async function embedded(
  project: ReadProject,
  address: string,
  { inferFunctionPermissions, statementTimeout, served }: SubjectOptions,
): Promise<EmbeddedServed> {
  return new EmbeddedServed(
    await createEngine({
      metadata: withAddress(served ?? project.loaded.merged, address),
      allowUnsupported: true,
      allowInconsistent: true,
      rolesElsewhere: rolesWithPermission(project.whole.merged),
      inferFunctionPermissions,
      statementTimeout,
      poolSize: concurrency,
      maxDepth: 0,
      maxBreadth: 0,
      maxQueryLength: 1 << 24,
    }),
  );
}

function withAddress(merged: Readonly<Record<string, unknown>>, address: string): Readonly<Record<string, unknown>> {
  const { sources } = merged as { readonly sources: readonly { readonly configuration: object }[] };
  return {
    ...merged,
    sources: sources.map((source) => ({
      ...source,
      configuration: { ...source.configuration, connection_info: { database_url: address } },
    })),
  };
}
