import {
  type ASTNode,
  type DocumentNode,
  type FragmentDefinitionNode,
  GraphQLError,
  isExecutableDefinitionNode,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  parse,
  print,
  visit,
} from "graphql";
import { type CountedNode, expandedSize, type Expansion, forEachNode, scanDocument } from "../../cost/document-size.ts";
import { defaultCostLimits, exceeds, maxNesting, maxWordLength } from "../../cost/limits.ts";
import { invalid, unreadable } from "../../errors.ts";

export interface Operation {
  readonly definition: OperationDefinitionNode;
  readonly kind: "query" | "mutation" | "subscription";
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  /** Names of the used variables, declared or not. */
  readonly variables: ReadonlySet<string>;
  /** Tokens of the whole document. */
  readonly tokens: number;
  readonly size: Expansion;
}

export interface DocumentLimits {
  readonly maxTokens: number;
  readonly maxNodes: number;
}

const notValid = () => invalid("not a valid graphql query", "$.query");

/** Tokens of the text. @throws EngineError for too many tokens, or too deeply nested brackets */
export function checkDocumentSize(query: string, maxTokens: number): number {
  const { tokens, depth, longestWord } = scanDocument(query, maxTokens > 0 ? maxTokens : Infinity);
  if (exceeds(tokens, maxTokens)) throw invalid(`the query has more tokens than the limit of ${maxTokens}`, "$.query");
  if (depth > maxNesting)
    throw unreadable(`expected brackets that are nested no deeper than ${maxNesting} levels`, "$.query");
  if (longestWord > maxWordLength)
    throw unreadable(`expected names and numbers that are no longer than ${maxWordLength} characters`, "$.query");
  return tokens;
}

/** @throws EngineError for duplicate names */
function eachOnce(nodes: readonly { readonly name: { readonly value: string } }[] = []): void {
  if (nodes.length > 1 && new Set(nodes.map(({ name }) => name.value)).size < nodes.length) throw notValid();
}

function checkNames(node: CountedNode): void {
  if (node.kind === Kind.FIELD || node.kind === Kind.DIRECTIVE) eachOnce(node.arguments);
  else if (node.kind === Kind.OBJECT) eachOnce(node.fields);
}

/** Parses a document of checked size; rejects type definitions and duplicates as Hasura's parser does. @throws EngineError */
export function parseDocument(query: string, { noLocation }: { readonly noLocation: boolean }): DocumentNode {
  try {
    const document = parse(query, { noLocation });
    for (const definition of document.definitions) {
      if (!isExecutableDefinitionNode(definition)) throw notValid();
      forEachNode(definition, checkNames);
    }
    return document;
  } catch (error) {
    if (error instanceof GraphQLError) throw notValid();
    throw error;
  }
}

function choose(
  operations: readonly OperationDefinitionNode[],
  name: string | null | undefined,
): OperationDefinitionNode {
  if (name !== null && name !== undefined) {
    if (operations.some((operation) => operation.name === undefined)) {
      throw invalid("operationName cannot be used when an anonymous operation exists in the document");
    }
    const named = operations.find((operation) => operation.name?.value === name);
    if (named === undefined) throw invalid(`no such operation found in the document: "${name}"`);
    return named;
  }
  const [only] = operations;
  if (operations.length !== 1 || only === undefined) {
    throw invalid("exactly one operation has to be present in the document when operationName is not specified");
  }
  return only;
}

/** Checks the size of a document, parses it and selects the operation to execute. @throws EngineError with Hasura's message */
export function readOperation(
  query: string,
  operationName: string | null | undefined,
  { maxTokens, maxNodes }: DocumentLimits = defaultCostLimits,
): Operation {
  const tokens = checkDocumentSize(query, maxTokens);
  const document = parseDocument(query, { noLocation: true });
  const operations: OperationDefinitionNode[] = [];
  const fragments = new Map<string, FragmentDefinitionNode>();
  let twice: string | undefined;
  for (const definition of document.definitions) {
    if (definition.kind === Kind.OPERATION_DEFINITION) operations.push(definition);
    else if (definition.kind === Kind.FRAGMENT_DEFINITION) {
      const name = definition.name.value;
      if (fragments.has(name)) twice ??= name;
      fragments.set(name, definition);
    }
  }
  const definition = choose(operations, operationName);
  if (twice !== undefined) throw unreadable(`multiple definitions for fragment "${twice}"`);
  const kind =
    definition.operation === OperationTypeNode.QUERY
      ? "query"
      : definition.operation === OperationTypeNode.MUTATION
        ? "mutation"
        : "subscription";
  const size = expandedSize(definition.selectionSet, fragments);
  if (exceeds(size.nodes, maxNodes))
    throw invalid(
      `the query has more fields, arguments and values than the limit of ${maxNodes} after its fragments are spread`,
    );
  if (size.depth > maxNesting)
    throw invalid(`the query is nested deeper than ${maxNesting} levels after its fragments are spread`);
  return { definition, kind, fragments, variables: usedVariables(definition, fragments), tokens, size };
}

/** Names of the variables that an operation and its fragments use, in the order of their first use. Declarations do not count. */
function usedVariables(
  { directives = [], selectionSet }: OperationDefinitionNode,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
): ReadonlySet<string> {
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
