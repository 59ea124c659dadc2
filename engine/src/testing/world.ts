import { catalogAnswer, type FunctionSketch, type TableSketch } from "@routeql/metadata/testing/catalog";
import { type CostLimits, defaultCostLimits } from "../cost/limits.ts";
import type { EngineOptions } from "../engine.ts";
import { readOperation } from "../execution/document/document.ts";
import { QueryPlanner, type RootPlan, type SubscriptionPlan } from "../execution/plan/plan.ts";
import { buildState, checkMetadata, type State } from "../execution/state.ts";
import { Variables } from "../execution/document/variables.ts";
import { finalText } from "../sql/sql.ts";

export interface World {
  readonly tables: Readonly<Record<string, TableSketch>>;
  readonly functions?: Readonly<Record<string, FunctionSketch>>;
  /** Entries of `tables` in metadata, by table. */
  readonly metadata: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly trackedFunctions?: readonly Readonly<Record<string, unknown>>[];
  /** Further keys of the metadata's root. */
  readonly root?: Readonly<Record<string, unknown>>;
  readonly customization?: Readonly<Record<string, unknown>>;
  /** Logical models and native queries in metadata, and Postgres' description of the queries' columns. */
  readonly native?: {
    readonly models: readonly object[];
    readonly queries: readonly object[];
    readonly columns: Readonly<Record<string, "integer" | "text">>;
  };
}

/** The world's metadata, for a database that does not exist. */
export function metadataOf(world: World) {
  return {
    version: 3,
    sources: [
      {
        name: "default",
        kind: "postgres",
        configuration: { connection_info: { database_url: "postgres://nowhere.invalid/none" } },
        ...(world.customization === undefined ? {} : { customization: world.customization }),
        tables: Object.entries(world.metadata).map(([name, entry]) => ({ table: name, ...entry })),
        functions: world.trackedFunctions ?? [],
        ...(world.native === undefined
          ? {}
          : { logical_models: world.native.models, native_queries: world.native.queries }),
      },
    ],
    ...world.root,
  };
}

/** The state of an engine over a described database. @throws MetadataError */
export function stateOf(world: World, options: Partial<EngineOptions> = {}): Promise<State> {
  const metadata = metadataOf(world);
  const answer = catalogAnswer(world.tables, world.functions, ["int4", "text"]);
  const columns = JSON.stringify(world.native?.columns);
  return buildState(
    checkMetadata(metadata, options.allowUnsupported ?? false),
    { metadata, ...options },
    () => (statement) => Promise.resolve(statement.includes("_routeql_types") ? columns : answer),
  );
}

const limits = {
  ...defaultCostLimits,
  maxDepth: 20,
  maxBreadth: 1000,
  stringifyNumericTypes: false,
  collapseNullComparisons: false,
  introspection: true,
};

export function plan(
  state: State,
  role: string,
  query: string,
  variables: Record<string, unknown> = {},
  other: Partial<CostLimits> = {},
): readonly RootPlan[] {
  const operation = readOperation(query, null);
  const given = new Variables(operation, variables, new Set());
  given.check();
  const options = { ...limits, ...other, introspection: state.introspectionAllowed(role), role };
  return new QueryPlanner(state.schema(role), operation, given, options).query();
}

export function planLive(
  state: State,
  role: string,
  query: string,
  variables: Record<string, unknown> = {},
): SubscriptionPlan {
  const operation = readOperation(query, null);
  const given = new Variables(operation, variables, new Set());
  return new QueryPlanner(state.schema(role), operation, given, { ...limits, role }).subscription();
}

/** SQL of the single root field, and the values of its constant parameters; the kind of the others. */
export function sql(
  state: State,
  role: string,
  query: string,
  variables: Record<string, unknown> = {},
): { text: string; values: readonly unknown[] } {
  const [root] = plan(state, role, query, variables);
  if (root?.kind !== "statement") throw new Error("this query needs no statement");
  const values = root.statement.parameters.map(({ source }) => {
    if (source.kind === "constant") return source.text;
    return source.kind === "session" ? source.name : source.kind;
  });
  return { text: finalText(root.statement.template), values };
}

/** Authors and articles. Role `reader` may read published articles of visible authors, and no e-mail addresses. */
export const library: World = {
  tables: {
    author: {
      columns: {
        id: "int4 not null",
        name: "text",
        email: "text",
        hidden: "bool not null",
        born: "timestamp",
        score: "numeric",
      },
      primaryKey: ["id"],
    },
    article: {
      columns: {
        id: "int8 not null",
        title: "varchar not null",
        author_id: "int4 not null",
        published: "bool",
        tags: "_text",
        body: "jsonb",
        editor_id: "int4",
      },
      primaryKey: ["id"],
      references: [{ columns: ["author_id"], table: "author", targetColumns: ["id"] }],
    },
    secret: { columns: { id: "int4 not null" } },
  },
  functions: {
    full_name: { arguments: [{ name: "author_row", type: "author" }], returns: { type: "text" } },
    search_articles: {
      arguments: [
        { name: "term", type: "text" },
        { name: "most", type: "int4" },
      ],
      defaults: 1,
      returns: { table: "article", set: true },
    },
  },
  trackedFunctions: [{ function: "search_articles" }],
  metadata: {
    author: {
      array_relationships: [
        { name: "articles", using: { foreign_key_constraint_on: { table: "article", column: "author_id" } } },
      ],
      computed_fields: [{ name: "full_name", definition: { function: "full_name", table_argument: "author_row" } }],
      select_permissions: [
        { role: "reader", permission: { columns: ["id", "name"], filter: { hidden: false }, limit: 50 } },
        { role: "counter", permission: { columns: ["id"], filter: {}, allow_aggregations: true, limit: 5 } },
        { role: "self", permission: { columns: "*", filter: { id: "X-Hasura-User-Id" } } },
      ],
    },
    article: {
      object_relationships: [{ name: "author", using: { foreign_key_constraint_on: "author_id" } }],
      select_permissions: [
        {
          role: "reader",
          permission: { columns: ["id", "title", "author_id"], filter: { published: { _eq: true } }, limit: 10 },
        },
        {
          role: "counter",
          permission: { columns: ["id", "title"], filter: { published: true }, allow_aggregations: true, limit: 5 },
        },
        {
          role: "self",
          permission: { columns: ["id", "title", "body"], filter: { author: { id: { _eq: "X-Hasura-User-Id" } } } },
        },
      ],
    },
    secret: {},
  },
};
