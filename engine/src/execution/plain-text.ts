import { print, visit, type ASTNode } from "graphql";

const byName = <Node extends { readonly name: { readonly value: string } }>(
  nodes: readonly Node[] = [],
): readonly Node[] => nodes.toSorted((one, other) => (one.name.value < other.name.value ? -1 : 1));

/** One text for all documents that Hasura considers equal: argument order, key order and string notation are ignored. */
export function plainText(node: ASTNode): string {
  return print(
    visit(node, {
      Field: { leave: (field) => ({ ...field, arguments: byName(field.arguments) }) },
      Directive: { leave: (directive) => ({ ...directive, arguments: byName(directive.arguments) }) },
      ObjectValue: { leave: (value) => ({ ...value, fields: byName(value.fields) }) },
      StringValue: { leave: (value) => ({ ...value, block: false }) },
    }),
  );
}
