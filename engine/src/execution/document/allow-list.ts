import { Kind, TokenKind, visit, type DocumentNode } from "graphql";
import type { Metadata } from "@routeql/metadata/read/shape";
import { parseDocument, plainText } from "./document.ts";

/** graphql-js prints `{ a }` and `query { a }` alike; Hasura distinguishes them. */
function isShort(definition: DocumentNode["definitions"][number]): boolean {
  return definition.loc?.startToken.kind === TokenKind.BRACE_L;
}

/** A document without formatting, argument order and `__typename`, except in inline fragments, as in Hasura. @throws EngineError */
function normalised(query: string): string {
  const bare = visit(parseDocument(query, { noLocation: false }), {
    InlineFragment: () => false,
    Field: (node) => (node.name.value === "__typename" ? null : undefined),
  });
  const definitions = bare.definitions.map((definition) => {
    const text = plainText(definition);
    return definition.kind === Kind.OPERATION_DEFINITION && !isShort(definition)
      ? `${definition.operation} ${text}`
      : text;
  });
  return definitions.join("\n");
}

/** Texts of a collection's query; none for an invalid one, which the metadata check reports. */
function readable(query: string): readonly string[] {
  try {
    return [normalised(query)];
  } catch {
    return [];
  }
}

export class AllowList {
  readonly #global = new Set<string>();
  readonly #byRole = new Map<string, Set<string>>();

  constructor(metadata: Pick<Metadata, "allowlist" | "query_collections">) {
    for (const { collection, scope } of metadata.allowlist) {
      const queries = metadata.query_collections.find(({ name }) => name === collection)?.definition.queries ?? [];
      const texts = queries.flatMap(({ query }) => readable(query));
      const sets = scope.global ? [this.#global] : scope.roles.map((role) => this.#ofRole(role));
      for (const set of sets) for (const text of texts) set.add(text);
    }
  }

  #ofRole(role: string): Set<string> {
    const set = this.#byRole.get(role) ?? new Set<string>();
    this.#byRole.set(role, set);
    return set;
  }

  /** @throws EngineError when the query cannot be parsed */
  allows(query: string, role: string): boolean {
    const text = normalised(query);
    return this.#global.has(text) || this.#byRole.get(role)?.has(text) === true;
  }
}
