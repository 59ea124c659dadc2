import { type Json, record } from "./json.ts";

/** Keys of a source with its objects. */
const objectLists = ["tables", "functions", "logical_models", "native_queries"] as const;

type Objects = Readonly<Record<(typeof objectLists)[number], Json[]>>;

export interface Source extends Json, Objects {
  readonly name: string;
}

/** The sources that commands add, move and delete, with the database of each; sources with the same address share one. */
export class Sources {
  readonly #sources = new Map<string, Source>();
  readonly #databases = new Map<string, string>();

  constructor() {
    this.#add("default", {});
  }

  get all(): readonly Source[] {
    return [...this.#sources.values()];
  }

  get databases(): readonly string[] {
    return [...new Set(this.#databases.values())];
  }

  /** The source that a command names, otherwise the default one. */
  of(args: Json): Source {
    return this.#known(typeof args["source"] === "string" ? args["source"] : "default");
  }

  databaseOf(args: Json): string {
    return this.#databases.get(this.of(args).name) ?? "default";
  }

  /** Replaces the sources; a source with a known name keeps its database. */
  adopt(sources: readonly Source[]): void {
    const known = new Map(this.#databases);
    this.#sources.clear();
    this.#databases.clear();
    for (const source of sources) {
      this.#add(source.name, source, source);
      const database = known.get(source.name);
      if (database !== undefined) this.#move(source.name, database);
    }
  }

  /** Removes all tracked objects; the sources stay. */
  clear(): void {
    for (const source of this.#sources.values()) for (const list of objectLists) source[list].length = 0;
  }

  /** @returns whether the command is about sources */
  change(type: string, args: Json): boolean {
    const name = String(args["name"]);
    switch (type) {
      case "add_source": {
        const known = this.#sources.get(name);
        if (known !== undefined && args["replace_configuration"] !== true)
          throw new Error(`there is already a source ${name}`);
        this.#add(name, args, known);
        return true;
      }
      case "update_source": {
        const database = this.databaseOf({ source: name });
        const known = this.#known(name);
        this.#add(name, { ...known, ...args }, known);
        if (args["configuration"] === undefined) this.#move(name, database);
        return true;
      }
      case "drop_source":
        this.#remove(name);
        return true;
      case "rename_source": {
        const database = this.databaseOf({ source: name });
        const next = String(args["new_name"]);
        const known = this.#remove(name);
        this.#add(next, known, known);
        this.#move(next, database);
        return true;
      }
      default:
        return false;
    }
  }

  #known(name: string): Source {
    const source = this.#sources.get(name);
    if (source === undefined) throw new Error(`there is no source ${name}`);
    return source;
  }

  /** @param kept metadata of the former source with that name */
  #add(name: string, args: Json, kept?: Partial<Objects>): void {
    const customization = record(args["customization"]);
    const database = databaseAt(name, args);
    this.#databases.set(name, database);
    const { tables = [], functions = [], logical_models = [], native_queries = [] } = kept ?? {};
    const configuration = configurationOf(database);
    this.#sources.set(name, {
      name,
      kind: "postgres",
      configuration,
      ...(Object.keys(customization).length === 0 ? {} : { customization }),
      tables,
      functions,
      logical_models,
      native_queries,
    });
  }

  #move(name: string, database: string): void {
    this.#databases.set(name, database);
    this.#sources.set(name, { ...this.#known(name), configuration: configurationOf(database) });
  }

  #remove(name: string): Source {
    const source = this.#known(name);
    this.#sources.delete(name);
    this.#databases.delete(name);
    return source;
  }
}

function configurationOf(database: string): Json {
  return { connection_info: { database_url: { from_env: databaseVariable(database) } } };
}

/** Sources with the same address share a database; the default source's database also has its own name in Hasura's environment. */
function databaseAt(source: string, args: Json): string {
  const url = record(record(args["configuration"])["connection_info"])["database_url"];
  const { from_env: variable } = record(url);
  if (variable === "HASURA_GRAPHQL_DATABASE_URL") return "default";
  if (typeof variable === "string") return variable;
  return typeof url === "string" ? url : source;
}

/** Name of the environment variable with a database's address. */
export function databaseVariable(database: string): string {
  return `CONFORMANCE_DATABASE_${Buffer.from(database).toString("hex").toUpperCase()}`;
}
