import { Kind, parse, print, visit, type DocumentNode } from "graphql";
import type { Metadata } from "../metadata/shape.ts";

const byName = <Node extends { readonly name: { readonly value: string } }>(nodes: readonly Node[] = []): readonly Node[] =>
  nodes.toSorted((one, other) => (one.name.value < other.name.value ? -1 : 1));

/**
 * A document without formatting, the order of arguments and `__typename`, which clients add on their own; that of inline fragments
 * counts, as in Hasura.
 */
function normalised(document: DocumentNode): string {
  const bare = visit(document, { InlineFragment: () => false, Field: (node) => (node.name.value === "__typename" ? null : undefined) });
  return print(
    visit(bare, {
      Field: { leave: (node) => ({ ...node, arguments: byName(node.arguments) }) },
      Directive: { leave: (node) => ({ ...node, arguments: byName(node.arguments) }) },
      ObjectValue: { leave: (node) => ({ ...node, fields: byName(node.fields) }) },
    }),
  );
}

export class AllowList {
  readonly #global = new Set<string>();
  readonly #byRole = new Map<string, Set<string>>();

  constructor(metadata: Pick<Metadata, "allowlist" | "query_collections">) {
    for (const { collection, scope } of metadata.allowlist) {
      const queries = metadata.query_collections.find(({ name }) => name === collection)?.definition.queries ?? [];
      const texts = queries.map(({ query }) => normalised(parse(query, { noLocation: true })));
      const sets = scope.global ? [this.#global] : scope.roles.map((role) => this.#ofRole(role));
      for (const set of sets) for (const text of texts) set.add(text);
    }
  }

  #ofRole(role: string): Set<string> {
    const set = this.#byRole.get(role) ?? new Set<string>();
    this.#byRole.set(role, set);
    return set;
  }

  allows(document: DocumentNode, role: string): boolean {
    const text = normalised({ ...document, definitions: document.definitions.filter(({ kind }) => kind === Kind.OPERATION_DEFINITION || kind === Kind.FRAGMENT_DEFINITION) });
    return this.#global.has(text) || this.#byRole.get(role)?.has(text) === true;
  }
}
