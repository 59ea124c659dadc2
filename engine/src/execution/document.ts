import {
  GraphQLError,
  Kind,
  OperationTypeNode,
  parse,
  type DirectiveNode,
  type DocumentNode,
  type FragmentDefinitionNode,
  type OperationDefinitionNode,
} from "graphql";
import { checkSpreads } from "./fragments.ts";
import { invalid, unreadable } from "./invalid.ts";
import { usedVariables } from "./used-variables.ts";

/** A document and the operation of it that runs. */
export interface Operation {
  readonly document: DocumentNode;
  readonly definition: OperationDefinitionNode;
  readonly kind: "query" | "mutation" | "subscription";
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  /** Names of the variables that are used, declared or not. */
  readonly variables: ReadonlySet<string>;
  /** A subscription that may select several root fields, as Hasura's own tests do. */
  readonly multipleRootFields: boolean;
}

/** Tokens that a document may have, which bounds the time to parse it. */
const maxTokens = 50_000;

function parseText(query: string): DocumentNode {
  try {
    return parse(query, { noLocation: true, maxTokens });
  } catch (error) {
    if (error instanceof GraphQLError) throw invalid("not a valid graphql query", "$.query");
    throw error;
  }
}

function choose(operations: readonly OperationDefinitionNode[], name: string | null | undefined): OperationDefinitionNode {
  if (name !== null && name !== undefined) {
    const named = operations.find((operation) => operation.name?.value === name);
    if (named === undefined) throw invalid(`no such operation found in the document: "${name}"`, "$");
    return named;
  }
  const [only] = operations;
  if (operations.length !== 1 || only === undefined) {
    throw invalid("exactly one operation has to be present in the document when operationName is not specified");
  }
  return only;
}

const operationDirectives: Readonly<Record<Operation["kind"], readonly string[]>> = {
  query: ["cached"],
  mutation: [],
  subscription: ["_multiple_top_level_fields"],
};

const fieldDirectives = new Set(["include", "skip"]);

function checkDirectives(directives: readonly DirectiveNode[], kind: Operation["kind"]): void {
  for (const { name } of directives) {
    if (operationDirectives[kind].includes(name.value)) continue;
    const known = fieldDirectives.has(name.value) || name.value === "cached" || name.value === "deprecated" || name.value === "specifiedBy";
    throw invalid(known ? `directive "${name.value}" is not allowed on a ${kind}` : `directive "${name.value}" is not defined in the schema`);
  }
}

/**
 * Parses a document and picks the operation to run.
 * @throws EngineError with Hasura's message
 */
export function readOperation(query: string, operationName: string | null | undefined): Operation {
  const document = parseText(query);
  const operations: OperationDefinitionNode[] = [];
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const definition of document.definitions) {
    if (definition.kind === Kind.OPERATION_DEFINITION) operations.push(definition);
    else if (definition.kind === Kind.FRAGMENT_DEFINITION) {
      const name = definition.name.value;
      if (fragments.has(name)) throw unreadable(`multiple definitions for fragment "${name}"`);
      fragments.set(name, definition);
    } else throw invalid("the document holds definitions of types, which cannot be executed");
  }
  const definition = choose(operations, operationName);
  const kind =
    definition.operation === OperationTypeNode.QUERY ? "query" : definition.operation === OperationTypeNode.MUTATION ? "mutation" : "subscription";
  checkSpreads(definition.selectionSet, fragments);
  const directives = definition.directives ?? [];
  checkDirectives(directives, kind);
  const variables = usedVariables(definition, fragments);
  return { document, definition, kind, fragments, variables, multipleRootFields: directives.some(({ name }) => name.value === "_multiple_top_level_fields") };
}
