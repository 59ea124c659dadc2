import type { GraphQLSchema } from "graphql";
import { createEngine } from "@routeql/engine";
import type { Catalog } from "@routeql/metadata/catalog/catalog";
import { type DeclaredAccess, declaredAccess, UnderivableMetadata } from "@routeql/metadata/declared/declared";
import { rolesWithPermission } from "@routeql/metadata/read/roles";
import type { Metadata } from "@routeql/metadata/read/shape";
import { UsageError } from "../cli/usage-error.ts";
import { ReadOnlyDatabase } from "../metadata/database.ts";
import { type Fitted, fitted } from "../metadata/fitting.ts";
import type { ReadProject } from "../metadata/project.ts";
import { EmbeddedServed } from "./embedded.ts";
import { type RunningEngine, RunningServed } from "./running.ts";
import type { Reply, Served, Variables } from "./served.ts";

export interface SubjectOptions {
  readonly inferFunctionPermissions: boolean;
  /** Milliseconds a statement may take. */
  readonly statementTimeout: number;
  /** The source, where an error is to name it. */
  readonly called?: string | undefined;
  /** The engine that is verified; default: the embedded one, in this process. */
  readonly running?: RunningEngine | undefined;
  /** What the embedded engine serves instead of the metadata themselves: to show that a difference is found. */
  readonly served?: Readonly<Record<string, unknown>>;
}

/** What is verified: metadata, an engine that serves them, and the database asked apart from it. */
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
  readonly #served: Served;

  private constructor(access: DeclaredAccess, catalog: Catalog, project: ReadProject, left: Fitted["left"], database: ReadOnlyDatabase, served: Served) {
    this.access = access;
    this.catalog = catalog;
    this.project = project;
    this.left = left;
    this.metadata = project.metadata;
    this.database = database;
    this.kind = served.kind;
    this.#served = served;
  }

  /** @param given metadata of one source @throws UsageError for a database that does not answer, and for metadata whose permissions cannot be derived */
  static async open(given: ReadProject, address: string, options: SubjectOptions): Promise<Subject> {
    const { inferFunctionPermissions, statementTimeout, called, running } = options;
    const [source, ...others] = given.metadata.sources;
    if (source === undefined || others.length > 0) throw new Error(`a subject has one source, not ${given.metadata.sources.length}`);
    const database = await ReadOnlyDatabase.open(address, { statementTimeout, source: called });
    try {
      const { project, left } = await fitted(given, database, inferFunctionPermissions);
      const { metadata } = project;
      const [fitting = source] = metadata.sources;
      const catalog = await database.catalog(fitting);
      const access = declaredAccess(metadata, { catalog, inferFunctionPermissions });
      const served = running === undefined ? await embedded(project, address, options) : new RunningServed(running, access);
      if (served instanceof RunningServed) await served.check();
      return new Subject(access, catalog, project, left, database, served);
    } catch (error) {
      await database[Symbol.asyncDispose]();
      if (error instanceof UnderivableMetadata) throw new UsageError(error.message);
      throw error;
    }
  }

  /** @param role its schema; undefined where only introspection tells it */
  schema(role: string): GraphQLSchema | undefined {
    return this.#served.schema(role);
  }

  /** Whether a request can carry the session. */
  takes(variables: Variables): boolean {
    return this.#served.takes(variables);
  }

  /** Sends a document as a client of a role; a subscription gives its first answer. @throws Unanswered */
  async ask(role: string, variables: Variables, document: string): Promise<Reply> {
    return this.#served.ask(role, variables, document);
  }

  /** First answers of one live query for many sessions. @throws Unanswered */
  async askTogether(role: string, sessions: readonly Variables[], document: string): Promise<readonly Reply[]> {
    return this.#served.askTogether(role, sessions, document);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#served[Symbol.asyncDispose]();
    await this.database[Symbol.asyncDispose]();
  }
}

async function embedded(project: ReadProject, address: string, { inferFunctionPermissions, statementTimeout, served }: SubjectOptions): Promise<EmbeddedServed> {
  return new EmbeddedServed(
    await createEngine({
      metadata: withAddress(served ?? project.loaded.merged, address),
      allowUnsupported: true,
      allowInconsistent: true,
      rolesElsewhere: rolesWithPermission(project.whole.merged),
      inferFunctionPermissions,
      statementTimeout,
      poolSize: 2,
      maxDepth: 0,
      maxBreadth: 0,
      maxQueryLength: 1 << 24,
    }),
  );
}

/** The merged metadata with the database that was given instead of their own. */
function withAddress(merged: Readonly<Record<string, unknown>>, address: string): Readonly<Record<string, unknown>> {
  const { sources } = merged as { readonly sources: readonly { readonly configuration: object }[] };
  return { ...merged, sources: sources.map((source) => ({ ...source, configuration: { ...source.configuration, connection_info: { database_url: address } } })) };
}
