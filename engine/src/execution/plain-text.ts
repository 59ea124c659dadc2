import { print, visit, type ASTNode } from "graphql";

const byName = <Node extends { readonly name: { readonly value: string } }>(nodes: readonly Node[] = []): readonly Node[] =>
  nodes.toSorted((one, other) => (one.name.value < other.name.value ? -1 : 1));

/** One text for all that Hasura takes for the same: neither the order of arguments and keys nor the way strings are written counts. */
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
