import {
  GraphQLError,
  Kind,
  OperationTypeNode,
  parse,
  type DirectiveNode,
  type DocumentNode,
  type FragmentDefinitionNode,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from "graphql";
import { EngineError } from "../errors.ts";

/** A document and the operation of it that runs. */
export interface Operation {
  readonly document: DocumentNode;
  readonly definition: OperationDefinitionNode;
  readonly kind: "query" | "mutation" | "subscription";
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  /** A subscription that may select several root fields, as Hasura's own tests do. */
  readonly multipleRootFields: boolean;
}

export function invalid(message: string, path = "$"): EngineError {
  return new EngineError({ code: "validation-failed", path, message });
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

/** @throws EngineError when fragments that the operation uses spread each other in a circle; its path is where the circle closes */
function refuseCycles(operation: OperationDefinitionNode, fragments: ReadonlyMap<string, FragmentDefinitionNode>): void {
  const sound = new Set<string>();
  const visit = (set: SelectionSetNode, path: string, trail: readonly string[]): void => {
    for (const selection of set.selections) {
      if (selection.kind === Kind.FIELD) {
        if (selection.selectionSet !== undefined) visit(selection.selectionSet, `${path}.selectionSet.${selection.name.value}`, trail);
      } else if (selection.kind === Kind.INLINE_FRAGMENT) visit(selection.selectionSet, path, trail);
      else spread(selection.name.value, path, trail);
    }
  };
  const spread = (name: string, path: string, trail: readonly string[]): void => {
    if (trail.includes(name)) throw invalid(`the fragment definition(s) ${trail.slice(trail.indexOf(name)).join(" and ")} form a cycle`, path);
    const fragment = fragments.get(name);
    if (fragment === undefined || sound.has(name)) return;
    visit(fragment.selectionSet, path, [...trail, name]);
    sound.add(name);
  };
  visit(operation.selectionSet, "$", []);
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
    else if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition);
    else throw invalid("the document holds definitions of types, which cannot be executed");
  }
  const definition = choose(operations, operationName);
  const kind =
    definition.operation === OperationTypeNode.QUERY ? "query" : definition.operation === OperationTypeNode.MUTATION ? "mutation" : "subscription";
  refuseCycles(definition, fragments);
  const directives = definition.directives ?? [];
  checkDirectives(directives, kind);
  return { document, definition, kind, fragments, multipleRootFields: directives.some(({ name }) => name.value === "_multiple_top_level_fields") };
}
