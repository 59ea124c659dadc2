/** Checks the query of a collection as Hasura does when it reads metadata: one operation of known fields. It checks no arguments. */
import {
  type DocumentNode,
  FieldsOnCorrectTypeRule,
  GraphQLError,
  GraphQLSchema,
  Kind,
  KnownFragmentNamesRule,
  NoFragmentCyclesRule,
  parse,
  ScalarLeafsRule,
  type TypeNode,
  UniqueFragmentNamesRule,
  validate,
} from "graphql";
import { parseDocument } from "./document.ts";

/** A reason with its line in a document of several lines, from 1. */
const inLine = (line: number | undefined, reason: string): string =>
  line === undefined || line === 1 ? reason : `${reason} (line ${line} of the query)`;

const said = ({ locations, message }: GraphQLError): string => inLine(locations?.[0]?.line, message);

/** @throws GraphQLError for a syntax error, EngineError for another one */
function parsed(query: string): DocumentNode {
  const document = parse(query);
  parseDocument(query, { noLocation: true });
  return document;
}

const typeNameOf = (type: TypeNode): string =>
  type.kind === Kind.NAMED_TYPE ? type.name.value : typeNameOf(type.type);

function unknownType(document: DocumentNode, schema: GraphQLSchema): string | undefined {
  for (const definition of document.definitions) {
    if (definition.kind !== Kind.OPERATION_DEFINITION) continue;
    for (const { type, variable, loc } of definition.variableDefinitions ?? []) {
      const name = typeNameOf(type);
      if (schema.getType(name) === undefined)
        return inLine(loc?.startToken.line, `the variable $${variable.name.value} has the unknown type ${name}`);
    }
  }
  return undefined;
}

/** Rules about fragments need no types. */
const emptySchema = new GraphQLSchema({ assumeValid: true });
const structure = [UniqueFragmentNamesRule, KnownFragmentNamesRule, NoFragmentCyclesRule];

/** @param schema of the role admin; without it, fields and types are not checked @returns the first reason */
export function listedQueryProblem(query: string, schema?: GraphQLSchema): string | undefined {
  let document: DocumentNode;
  try {
    document = parsed(query);
  } catch (error) {
    return error instanceof GraphQLError ? said(error) : (error as Error).message;
  }
  const operations = document.definitions.filter(({ kind }) => kind === Kind.OPERATION_DEFINITION);
  if (operations.length !== 1) return `it has ${operations.length} operations, and Hasura accepts exactly one`;
  const [broken] = validate(emptySchema, document, structure);
  if (broken !== undefined) return said(broken);
  if (schema === undefined) return undefined;
  const [wrong] = validate(schema, document, [FieldsOnCorrectTypeRule, ScalarLeafsRule]);
  return wrong === undefined ? unknownType(document, schema) : said(wrong);
}
