import {
  GraphQLError,
  isExecutableDefinitionNode,
  Kind,
  OperationTypeNode,
  parse,
  visit,
  type DocumentNode,
  type FragmentDefinitionNode,
  type OperationDefinitionNode,
} from "graphql";
import { checkSpreads } from "./fragments.ts";
import { invalid, unreadable } from "./invalid.ts";
import { usedVariables } from "./used-variables.ts";

/** The operation of a document that runs. */
export interface Operation {
  readonly definition: OperationDefinitionNode;
  readonly kind: "query" | "mutation" | "subscription";
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  /** Names of the variables that are used, declared or not. */
  readonly variables: ReadonlySet<string>;
}

/** Tokens that a document may have, which bounds the time to parse it. */
const maxTokens = 50_000;

const notValid = () => invalid("not a valid graphql query", "$.query");

/**
 * Hasura's parser knows no definitions of types, and no two arguments or keys of one name.
 * @throws EngineError
 */
export function parseDocument(query: string, { noLocation }: { readonly noLocation: boolean }): DocumentNode {
  try {
    const document = parse(query, { noLocation, maxTokens });
    if (!document.definitions.every(isExecutableDefinitionNode)) throw notValid();
    const eachOnce = (nodes: readonly { readonly name: { readonly value: string } }[] = []): void => {
      if (nodes.length > 1 && new Set(nodes.map(({ name }) => name.value)).size < nodes.length) throw notValid();
    };
    visit(document, { Field: (node) => eachOnce(node.arguments), Directive: (node) => eachOnce(node.arguments), ObjectValue: (node) => eachOnce(node.fields) });
    return document;
  } catch (error) {
    if (error instanceof GraphQLError) throw notValid();
    throw error;
  }
}

function choose(operations: readonly OperationDefinitionNode[], name: string | null | undefined): OperationDefinitionNode {
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

/**
 * Parses a document and picks the operation to run.
 * @throws EngineError with Hasura's message
 */
export function readOperation(query: string, operationName: string | null | undefined): Operation {
  const document = parseDocument(query, { noLocation: true });
  const operations: OperationDefinitionNode[] = [];
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const definition of document.definitions) {
    if (definition.kind === Kind.OPERATION_DEFINITION) operations.push(definition);
    else if (definition.kind === Kind.FRAGMENT_DEFINITION) {
      const name = definition.name.value;
      if (fragments.has(name)) throw unreadable(`multiple definitions for fragment "${name}"`);
      fragments.set(name, definition);
    }
  }
  const definition = choose(operations, operationName);
  const kind =
    definition.operation === OperationTypeNode.QUERY ? "query" : definition.operation === OperationTypeNode.MUTATION ? "mutation" : "subscription";
  checkSpreads(definition.selectionSet, fragments);
  return { definition, kind, fragments, variables: usedVariables(definition, fragments) };
}
