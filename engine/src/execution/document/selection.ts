import {
  DirectiveLocation,
  type DirectiveNode,
  type FieldNode,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLOutputType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
} from "graphql";
import type { Spending } from "../../cost/limits.ts";
import { invalid } from "../../errors.ts";
import { directives as advertised, multipleRootFields } from "../../schema/types.ts";
import { type Operation, plainText } from "./document.ts";
import { type Input, InputReader } from "./input.ts";
import type { Variables } from "./variables.ts";

export interface SelectedField {
  /** Response key. */
  readonly key: string;
  readonly name: string;
  readonly path: string;
  /** undefined for `__typename`. */
  readonly definition: GraphQLField<unknown, unknown> | undefined;
  readonly arguments: ReadonlyMap<string, Input>;
  readonly objectType: GraphQLObjectType | undefined;
  readonly selectionSets: readonly SelectionSetNode[];
}

export interface SelectionLimits {
  readonly maxDepth: number;
  readonly maxBreadth: number;
}

interface Collected {
  readonly node: FieldNode;
  readonly sets: SelectionSetNode[];
}

function objectTypeOf(type: GraphQLOutputType): GraphQLObjectType | undefined {
  if (isNonNullType(type)) return objectTypeOf(type.ofType as GraphQLOutputType);
  if (isListType(type)) return objectTypeOf(type.ofType);
  return isObjectType(type) ? type : undefined;
}

/** Flattens selection sets: spreads fragments, evaluates directives and merges fields with equal response keys, in the order of the query. */
export class SelectionReader {
  readonly #operation: Operation;
  readonly #limits: SelectionLimits;
  readonly inputs: InputReader;
  readonly #argumentTexts = new Map<FieldNode, string>();
  #fields = 0;

  constructor(operation: Operation, variables: Variables, limits: SelectionLimits, spending: Spending) {
    this.#operation = operation;
    this.#limits = limits;
    this.inputs = new InputReader(variables, spending);
  }

  /** Yields field by field, so that errors below a field precede those of the next, as in Hasura. @param depth 1 for root fields */
  *fields(
    type: GraphQLObjectType,
    sets: readonly SelectionSetNode[],
    path: string,
    depth: number,
    meta: ReadonlyMap<string, GraphQLField<unknown, unknown>> = new Map(),
  ): Generator<SelectedField, void> {
    if (this.#limits.maxDepth > 0 && depth > this.#limits.maxDepth) {
      throw invalid(`the query is nested deeper than the limit of ${this.#limits.maxDepth}`, path);
    }
    const at = `${path}.selectionSet`;
    const collected = new Map<string, Collected>();
    for (const set of sets) this.#collect(type, set.selections, at, collected);
    for (const [key, { node, sets: below }] of collected)
      yield this.#field(type, key, node, below, `${at}.${node.name.value}`, meta);
  }

  #collect(
    type: GraphQLObjectType,
    selections: readonly SelectionNode[],
    at: string,
    into: Map<string, Collected>,
  ): void {
    for (const selection of selections) {
      const place = selection.kind === Kind.FIELD ? "FIELD" : "INLINE_FRAGMENT";
      if (!isIncluded(selection.directives ?? [], place, at, this.inputs)) continue;
      if (selection.kind === Kind.FIELD) this.#add(selection, at, into);
      else if (selection.kind === Kind.INLINE_FRAGMENT) {
        const condition = selection.typeCondition?.name.value;
        if (condition === undefined || condition === type.name)
          this.#collect(type, selection.selectionSet.selections, at, into);
      } else {
        this.#count();
        const fragment = this.#operation.fragments.get(selection.name.value);
        if (fragment?.typeCondition.name.value === type.name) {
          this.#collect(type, fragment.selectionSet.selections, at, into);
        }
      }
    }
  }

  /** Spreads count as fields, so that fragments which only spread others have a bounded size. */
  #count(): void {
    this.#fields += 1;
    if (this.#limits.maxBreadth > 0 && this.#fields > this.#limits.maxBreadth) {
      throw invalid(`the query selects more fields than the limit of ${this.#limits.maxBreadth}`, "$");
    }
  }

  #add(node: FieldNode, at: string, into: Map<string, Collected>): void {
    this.#count();
    const key = node.alias?.value ?? node.name.value;
    const known = into.get(key);
    if (known === undefined) {
      into.set(key, { node, sets: node.selectionSet === undefined ? [] : [node.selectionSet] });
      return;
    }
    if (known.node.name.value !== node.name.value) {
      throw invalid(
        `selection of both '${known.node.name.value}' and '${node.name.value}' specify the same response name, '${key}'`,
        at,
      );
    }
    if (this.#argumentsOf(known.node) !== this.#argumentsOf(node)) {
      throw invalid(`inconsistent arguments between multiple selections of field '${node.name.value}'`, at);
    }
    if (node.selectionSet !== undefined) known.sets.push(node.selectionSet);
  }

  /** Their text, created once: repeated spreads of a fragment return the same node, and its arguments may be long. */
  #argumentsOf(node: FieldNode): string {
    const known = this.#argumentTexts.get(node);
    if (known !== undefined) return known;
    const text = (node.arguments ?? []).map(plainText).sort().join(",");
    this.#argumentTexts.set(node, text);
    return text;
  }

  #field(
    type: GraphQLObjectType,
    key: string,
    node: FieldNode,
    sets: readonly SelectionSetNode[],
    path: string,
    meta: ReadonlyMap<string, GraphQLField<unknown, unknown>>,
  ): SelectedField {
    const name = node.name.value;
    if (name === "__typename") {
      if (sets.length > 0) throw invalid("unexpected subselection set for non-object field", path);
      return { key, name, path, definition: undefined, arguments: new Map(), objectType: undefined, selectionSets: [] };
    }
    const definition = meta.get(name) ?? type.getFields()[name];
    if (definition === undefined) throw invalid(`field '${name}' not found in type: '${type.name}'`, path);
    const objectType = objectTypeOf(definition.type);
    if (objectType === undefined && sets.length > 0)
      throw invalid("unexpected subselection set for non-object field", path);
    const given = this.inputs.arguments(definition, node.arguments ?? [], path);
    if (objectType !== undefined && sets.length === 0)
      throw invalid(`missing selection set for '${objectType.name}'`, `${path}.selectionSet`);
    return { key, name, path, definition, arguments: given, objectType, selectionSets: sets };
  }
}

const known = new Map([...advertised, multipleRootFields].map((directive) => [directive.name, directive]));

const places = {
  [DirectiveLocation.QUERY]: "a query",
  [DirectiveLocation.MUTATION]: "a mutation",
  [DirectiveLocation.SUBSCRIPTION]: "a subscription",
  [DirectiveLocation.FIELD]: "a field",
  /** Spreads too: Hasura inlines fragments first. */
  [DirectiveLocation.INLINE_FRAGMENT]: "an inline fragment",
} as const;

/** The arguments of directives by name. Hasura's order: each is known, allowed here and well-formed; none is repeated. @throws EngineError */
export function readDirectives(
  given: readonly DirectiveNode[],
  place: keyof typeof places,
  at: string,
  inputs: InputReader,
): ReadonlyMap<string, ReadonlyMap<string, Input>> {
  const found = new Map<string, ReadonlyMap<string, Input>>();
  const twice = new Set<string>();
  for (const {
    name: { value: name },
    arguments: nodes = [],
  } of given) {
    const directive = known.get(name);
    if (directive === undefined) throw invalid(`directive '${name}' is not defined in the schema`, at);
    if (!directive.locations.includes(place))
      throw invalid(`directive '${name}' is not allowed on ${places[place]}`, at);
    if (found.has(name)) twice.add(name);
    const values = inputs.arguments(directive, nodes, `${at}.${name}`);
    const condition = values.get("if");
    if (condition !== undefined) inputs.boolean(condition);
    found.set(name, values);
  }
  if (twice.size > 0) throw invalid(`the following directives are used more than once: ${[...twice].join(", ")}`, at);
  return found;
}

/** Whether `@include` and `@skip` keep a selection. @throws EngineError */
function isIncluded(
  given: readonly DirectiveNode[],
  place: "FIELD" | "INLINE_FRAGMENT",
  at: string,
  inputs: InputReader,
): boolean {
  if (given.length === 0) return true;
  const conditions = [...readDirectives(given, DirectiveLocation[place], at, inputs)].map(([name, values]) => {
    const condition = values.get("if");
    return condition === undefined || inputs.boolean(condition) === (name === "include");
  });
  return conditions.every(Boolean);
}
