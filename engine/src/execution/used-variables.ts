import { Kind, type FragmentDefinitionNode, type OperationDefinitionNode } from "graphql";
import { forEachNode, type CountedNode } from "../cost/nodes.ts";

/** Names of the variables that an operation and its fragments use, in the order of their first use. Declarations do not count. */
export function usedVariables({ directives = [], selectionSet }: OperationDefinitionNode, fragments: ReadonlyMap<string, FragmentDefinitionNode>): ReadonlySet<string> {
  const names = new Set<string>();
  const reached = new Set<string>();
  const waiting: (readonly CountedNode[])[] = [directives, selectionSet.selections];
  const see = (node: CountedNode): void => {
    if (node.kind === Kind.VARIABLE) names.add(node.name.value);
    if (node.kind !== Kind.FRAGMENT_SPREAD || reached.has(node.name.value)) return;
    reached.add(node.name.value);
    const fragment = fragments.get(node.name.value);
    if (fragment !== undefined) waiting.push(fragment.selectionSet.selections);
  };
  // The loop also visits entries added on the way.
  for (const nodes of waiting) for (const node of nodes) forEachNode(node, see);
  return names;
}
