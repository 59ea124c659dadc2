import { Kind, print, type NonNullTypeNode, type TypeNode, type VariableDefinitionNode } from "graphql";
import { isListType, isNonNullType, type GraphQLInputType } from "graphql";
import { jsonText } from "../../schema/values.ts";
import type { Operation } from "./document.ts";
import { invalid, unreadable } from "../../errors.ts";

/** Whether a variable's declared type matches the type of its place. As in Hasura, items of a list may be null in the declaration. */
function isCompatible(declared: TypeNode, location: GraphQLInputType, isItem = false): boolean {
  if (isNonNullType(location))
    return (isItem || declared.kind === Kind.NON_NULL_TYPE) && isCompatible(nullable(declared), location.ofType);
  if (declared.kind === Kind.NON_NULL_TYPE) return isCompatible(declared.type, location);
  if (isListType(location))
    return declared.kind === Kind.LIST_TYPE && isCompatible(declared.type, location.ofType, true);
  return declared.kind === Kind.NAMED_TYPE && declared.name.value === location.name;
}

function nullable(declared: TypeNode): TypeNode {
  return declared.kind === Kind.NON_NULL_TYPE ? declared.type : declared;
}

/** Values of a request's variables, as its JSON has them. */
export type VariableValues = Readonly<Record<string, unknown>>;

/** The variables of one request. Those whose values planning reads are structural: a plan serves only requests with equal ones. */
export class Variables {
  readonly structural: Set<string>;
  /** Whether planning reads every value, so that errors are found in the order of the document. Such a plan cannot be reused. */
  readonly eager: boolean;
  readonly #operation: Operation;
  readonly #definitions: ReadonlyMap<string, VariableDefinitionNode>;
  readonly #values: VariableValues;
  readonly #sizes = new Map<string, number>();

  constructor(
    operation: Operation,
    values: VariableValues,
    structural: Set<string>,
    { eager = false }: { readonly eager?: boolean } = {},
  ) {
    this.eager = eager;
    this.#operation = operation;
    this.#definitions = new Map(
      (operation.definition.variableDefinitions ?? []).map((definition) => [
        definition.variable.name.value,
        definition,
      ]),
    );
    this.#values = values;
    this.structural = structural;
  }

  /** Checks in Hasura's order that declared variables have values, used ones are declared, given ones are used. @throws EngineError */
  check(): void {
    const {
      definition: { variableDefinitions = [] },
      variables: used,
    } = this.#operation;
    for (const definition of variableDefinitions) this.#checkValue(definition);
    if (variableDefinitions.length > this.#definitions.size) {
      const twice = variableDefinitions.find(
        (definition) => this.#definitions.get(definition.variable.name.value) !== definition,
      );
      throw unreadable(`multiple definitions for variable "${twice?.variable.name.value ?? ""}"`);
    }
    for (const name of used) if (!this.#definitions.has(name)) throw invalid(`unbound variable "${name}"`);
    const unexpected = Object.keys(this.#values).filter((name) => !used.has(name));
    if (unexpected.length > 0) throw invalid(`unexpected variables in variableValues: ${unexpected.sort().join(", ")}`);
  }

  #checkValue({ variable, type, defaultValue }: VariableDefinitionNode): void {
    if (type.kind !== Kind.NON_NULL_TYPE) return;
    const name = variable.name.value;
    if (!Object.hasOwn(this.#values, name)) {
      if (defaultValue === undefined) throw invalid(`expecting a value for non-nullable variable: "${name}"`);
    } else if (this.#values[name] === null || this.#values[name] === undefined) {
      throw invalid(`null value found for non-nullable type: "${print(type)}"`);
    }
  }

  /** Checks that a variable may be used at a place; a default there allows a nullable variable. @throws EngineError */
  use(name: string, location: GraphQLInputType, path: string, placeHasDefault = false): VariableDefinitionNode {
    const definition = this.#definitions.get(name);
    if (definition === undefined) throw invalid(`unbound variable "${name}"`, path);
    const { type, defaultValue } = definition;
    const hasDefault = placeHasDefault || (defaultValue !== undefined && defaultValue.kind !== Kind.NULL);
    const declared: TypeNode =
      hasDefault && type.kind !== Kind.NON_NULL_TYPE
        ? ({ kind: Kind.NON_NULL_TYPE, type } satisfies NonNullTypeNode)
        : type;
    if (!isCompatible(declared, location)) {
      throw invalid(
        `variable '${name}' is declared as '${print(type)}', but used where '${String(location)}' is expected`,
        path,
      );
    }
    return definition;
  }

  definition(name: string): VariableDefinitionNode | undefined {
    return this.#definitions.get(name);
  }

  /** Characters of the given value as JSON. */
  sizeOf(name: string): number {
    const known = this.#sizes.get(name);
    if (known !== undefined) return known;
    const size = jsonText(this.#given(name) ?? null).length;
    this.#sizes.set(name, size);
    return size;
  }

  /** The given value; the plan then depends on it. */
  structuralValue(name: string): unknown {
    this.structural.add(name);
    return this.#given(name);
  }

  /** Never a property that every object has: `constructor` and `__proto__` are names of variables too. */
  #given(name: string): unknown {
    return Object.hasOwn(this.#values, name) ? this.#values[name] : undefined;
  }
}

/** The values that must be equal for requests to share a plan. */
export function fingerprint(structural: ReadonlySet<string>, values: VariableValues): string {
  if (structural.size === 0) return "";
  return jsonText([...structural].map((name) => (Object.hasOwn(values, name) ? [name, values[name]] : [name])));
}
