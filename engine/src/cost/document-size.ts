import {
  type ArgumentNode,
  type DirectiveNode,
  type ExecutableDefinitionNode,
  type FragmentDefinitionNode,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
  type ValueNode,
  type VariableDefinitionNode,
} from "graphql";
import { invalid } from "../errors.ts";

/** Size of a document's text, measured before parsing. */
export interface TextSize {
  /** Tokens, comments included: the parser creates an object for each. */
  readonly tokens: number;
  /** Deepest nesting of brackets. */
  readonly depth: number;
  /** Characters of the longest name or number. */
  readonly longestWord: number;
}

const isNameCode = makeTable((character) => /\w/.test(character));
const isNumberCode = makeTable((character) => /[\w.]/.test(character));
const openers = makeTable((character) => "{([".includes(character));
const closers = makeTable((character) => "})]".includes(character));
const ignored = makeTable((character) => " \t\n\r,".includes(character));

function makeTable(holds: (character: string) => boolean): Uint8Array {
  return Uint8Array.from({ length: 128 }, (_item, code) => (holds(String.fromCharCode(code)) ? 1 : 0));
}

const quote = 0x22;
const hash = 0x23;
const plus = 0x2b;
const minus = 0x2d;
const dot = 0x2e;
const backslash = 0x5c;
const byteOrderMark = 0xfeff;

/** Counts tokens and nesting by GraphQL's lexical rules, each character once. @param maxTokens the scan ends as soon as there are more */
export function scanDocument(text: string, maxTokens = Infinity): TextSize {
  const { length } = text;
  let tokens = 0;
  let depth = 0;
  let deepest = 0;
  let longestWord = 0;
  let at = 0;
  while (at < length && tokens <= maxTokens) {
    const code = text.charCodeAt(at);
    if (ignored[code] === 1 || code === byteOrderMark) {
      at += 1;
      continue;
    }
    tokens += 1;
    if (code === minus || isNameCode[code] === 1) {
      const end = code === minus || isDigit(code) ? endOfNumber(text, at + 1) : endOfName(text, at + 1);
      longestWord = Math.max(longestWord, end - at);
      at = end;
    } else if (code === quote) at = endOfString(text, at);
    else if (code === hash) at = endOfLine(text, at);
    else if (code === dot) at = endOfDots(text, at);
    else {
      if (openers[code] === 1) deepest = Math.max(deepest, (depth += 1));
      else if (closers[code] === 1) depth -= 1;
      at += 1;
    }
  }
  return { tokens, depth: deepest, longestWord };
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

function endOfName(text: string, from: number): number {
  let at = from;
  while (isNameCode[text.charCodeAt(at)] === 1) at += 1;
  return at;
}

/** A sign after an exponent mark belongs to the number. */
function endOfNumber(text: string, from: number): number {
  let at = from;
  while (isNumberCode[text.charCodeAt(at)] === 1 || (isSign(text.charCodeAt(at)) && "eE".includes(text.charAt(at - 1))))
    at += 1;
  return at;
}

function isSign(code: number): boolean {
  return code === plus || code === minus;
}

function endOfDots(text: string, from: number): number {
  return text.startsWith("...", from) ? from + 3 : from + 1;
}

function endOfLine(text: string, from: number): number {
  for (let at = from; at < text.length; at += 1) if (isLineBreak(text.charCodeAt(at))) return at;
  return text.length;
}

function isLineBreak(code: number): boolean {
  return code === 0x0a || code === 0x0d;
}

/** Position after a string; the end of the text for an unclosed string. */
function endOfString(text: string, from: number): number {
  if (text.startsWith('"""', from)) return endOfBlockString(text, from + 3);
  for (let at = from + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === quote) return at + 1;
    if (isLineBreak(code)) return text.length;
    if (code === backslash) at += 1;
  }
  return text.length;
}

function endOfBlockString(text: string, from: number): number {
  let at = text.indexOf('"""', from);
  while (at !== -1 && text.charCodeAt(at - 1) === backslash && at > from) at = text.indexOf('"""', at + 3);
  return at === -1 ? text.length : at + 3;
}

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

/** `a`, `a and b`, or `a, b, and c`. Intl.ListFormat would take 7 MB. */
function conjunction(names: readonly string[]): string {
  const [last = "", ...others] = names.toReversed();
  if (others.length < 2) return [...others, last].join(" and ");
  return `${others.toReversed().join(", ")}, and ${last}`;
}

/** Size of a selection set after its fragments are spread. */
export interface Expansion {
  /** Fields, fragments, arguments, directives and values, also those that a directive or a type condition excludes. */
  readonly nodes: number;
  /** Nesting of selection sets, including those of fragments. */
  readonly depth: number;
  /** Fields and spreads, also those that a directive or a type condition excludes. */
  readonly fields: number;
}

interface Frame {
  readonly selections: readonly SelectionNode[];
  next: number;
  readonly path: string;
  /** Name of the fragment that owns this selection set. */
  readonly fragment: string | undefined;
  nodes: number;
  depth: number;
  fields: number;
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
      sizes.set(current.fragment, { nodes: current.nodes, depth: current.depth, fields: current.fields });
      trail.delete(current.fragment);
      continue;
    }
    current.nodes += ownNodes(selection);
    if (selection.kind !== Kind.INLINE_FRAGMENT) current.fields += 1;
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
      throw invalid(`the fragment definition(s) ${conjunction(names.slice(names.indexOf(name)))} form a cycle`, at);
    }
    const fragment = fragments.get(name);
    if (fragment === undefined) throw invalid(`reference to undefined fragment "${name}"`, at);
    trail.add(name);
    return frame(fragment.selectionSet, `${at}.${name}`, name);
  }
}

function frame({ selections }: SelectionSetNode, path: string, fragment: string | undefined): Frame {
  return { selections, next: 0, path, fragment, nodes: 0, depth: 1, fields: 0 };
}

function include(parent: Frame, below: Expansion): void {
  parent.nodes += below.nodes;
  parent.fields += below.fields;
  parent.depth = Math.max(parent.depth, below.depth + 1);
}

function ownNodes(selection: SelectionNode): number {
  let nodes = 1;
  const count = (): void => void (nodes += 1);
  if (selection.kind === Kind.FIELD) for (const argument of selection.arguments ?? []) forEachNode(argument, count);
  for (const directive of selection.directives ?? []) forEachNode(directive, count);
  return nodes;
}
