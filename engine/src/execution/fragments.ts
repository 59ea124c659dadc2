import { Kind, type FragmentDefinitionNode, type SelectionSetNode } from "graphql";
import { invalid } from "./invalid.ts";

const listed = new Intl.ListFormat("en", { type: "conjunction" });

/**
 * Follows every spread that an operation reaches, as Hasura does before it looks at types and directives. The path names the
 * fields and the fragments on the way.
 * @throws EngineError where a fragment is not defined, or where spreads form a circle
 */
export function checkSpreads(operation: SelectionSetNode, fragments: ReadonlyMap<string, FragmentDefinitionNode>): void {
  const sound = new Set<string>();
  const visit = (set: SelectionSetNode, path: string, trail: readonly string[]): void => {
    for (const selection of set.selections) {
      if (selection.kind === Kind.INLINE_FRAGMENT) visit(selection.selectionSet, path, trail);
      else if (selection.kind === Kind.FRAGMENT_SPREAD) spread(selection.name.value, `${path}.selectionSet`, trail);
      else if (selection.selectionSet !== undefined) visit(selection.selectionSet, `${path}.selectionSet.${selection.name.value}`, trail);
    }
  };
  const spread = (name: string, at: string, trail: readonly string[]): void => {
    if (sound.has(name)) return;
    if (trail.includes(name)) throw invalid(`the fragment definition(s) ${listed.format(trail.slice(trail.indexOf(name)))} form a cycle`, at);
    const fragment = fragments.get(name);
    if (fragment === undefined) throw invalid(`reference to undefined fragment "${name}"`, at);
    visit(fragment.selectionSet, `${at}.${name}`, [...trail, name]);
    sound.add(name);
  };
  visit(operation, "$", []);
}
