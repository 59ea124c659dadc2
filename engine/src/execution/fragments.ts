import { Kind, type FragmentDefinitionNode, type SelectionNode, type SelectionSetNode } from "graphql";
import { forEachNode } from "../cost/document-size.ts";
import { invalid } from "./invalid.ts";

const listed = new Intl.ListFormat("en", { type: "conjunction" });

/** Size of a selection set after its fragments are spread. */
export interface Expansion {
  /** Fields, fragments, arguments, directives and values, also those that a directive or a type condition excludes. */
  readonly nodes: number;
  /** Nesting of selection sets, including those of fragments. */
  readonly depth: number;
}

interface Frame {
  readonly selections: readonly SelectionNode[];
  next: number;
  readonly path: string;
  /** Name of the fragment that owns this selection set. */
  readonly fragment: string | undefined;
  nodes: number;
  depth: number;
}

/**
 * Follows every spread of an operation before types and directives are checked, as Hasura does. The path names the fields and fragments on
 * the way. Each fragment is followed once and without recursion, so the time depends only on the length of the document.
 * @throws EngineError for an undefined fragment, or for a cycle of spreads
 */
export function expandedSize(
  operation: SelectionSetNode,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
): Expansion {
  const sizes = new Map<string, Expansion>();
  const trail = new Set<string>();
  const root = frame(operation, "$", undefined);
  const frames = [root];
  for (let current: Frame | undefined = root; current !== undefined; current = frames.at(-1)) {
    const selection = current.selections[current.next];
    current.next += 1;
    if (selection === undefined) {
      frames.pop();
      const parent = frames.at(-1);
      if (parent !== undefined) include(parent, current);
      if (current.fragment === undefined) continue;
      sizes.set(current.fragment, { nodes: current.nodes, depth: current.depth });
      trail.delete(current.fragment);
      continue;
    }
    current.nodes += ownNodes(selection);
    if (selection.kind === Kind.INLINE_FRAGMENT) frames.push(frame(selection.selectionSet, current.path, undefined));
    else if (selection.kind === Kind.FRAGMENT_SPREAD) {
      const name = selection.name.value;
      const known = sizes.get(name);
      if (known === undefined) frames.push(spread(name, `${current.path}.selectionSet`));
      else include(current, known);
    } else if (selection.selectionSet !== undefined)
      frames.push(frame(selection.selectionSet, `${current.path}.selectionSet.${selection.name.value}`, undefined));
  }
  return root;

  function spread(name: string, at: string): Frame {
    if (trail.has(name)) {
      const names = [...trail];
      throw invalid(`the fragment definition(s) ${listed.format(names.slice(names.indexOf(name)))} form a cycle`, at);
    }
    const fragment = fragments.get(name);
    if (fragment === undefined) throw invalid(`reference to undefined fragment "${name}"`, at);
    trail.add(name);
    return frame(fragment.selectionSet, `${at}.${name}`, name);
  }
}

function frame({ selections }: SelectionSetNode, path: string, fragment: string | undefined): Frame {
  return { selections, next: 0, path, fragment, nodes: 0, depth: 1 };
}

function include(parent: Frame, below: Expansion): void {
  parent.nodes += below.nodes;
  parent.depth = Math.max(parent.depth, below.depth + 1);
}

/** A selection with its arguments and directives. */
function ownNodes(selection: SelectionNode): number {
  let nodes = 1;
  const count = (): void => void (nodes += 1);
  if (selection.kind === Kind.FIELD) for (const argument of selection.arguments ?? []) forEachNode(argument, count);
  for (const directive of selection.directives ?? []) forEachNode(directive, count);
  return nodes;
}
