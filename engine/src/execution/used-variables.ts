import { Kind, visit, type FragmentDefinitionNode, type OperationDefinitionNode } from "graphql";

/**
 * Names of the variables that an operation and the fragments it reaches stand for a value with, in the order of their first use.
 * Declarations are no use.
 */
export function usedVariables({ directives = [], selectionSet }: OperationDefinitionNode, fragments: ReadonlyMap<string, FragmentDefinitionNode>): ReadonlySet<string> {
  const names = new Set<string>();
  const reached = new Set<string>();
  const waiting: (Parameters<typeof visit>[0])[] = [...directives, selectionSet];
  for (let node = waiting.shift(); node !== undefined; node = waiting.shift()) {
    visit(node, {
      [Kind.VARIABLE]: ({ name }) => {
        names.add(name.value);
        return false;
      },
      [Kind.FRAGMENT_SPREAD]: ({ name }) => {
        const fragment = fragments.get(name.value);
        if (fragment === undefined || reached.has(name.value)) return;
        reached.add(name.value);
        waiting.push(fragment.selectionSet);
      },
    });
  }
  return names;
}
