import { DirectiveLocation, type DirectiveNode } from "graphql";
import { directives as advertised, multipleRootFields } from "../schema/directives.ts";
import type { Input, InputReader } from "./input.ts";
import { invalid } from "./invalid.ts";

const known = new Map([...advertised, multipleRootFields].map((directive) => [directive.name, directive]));

const places = {
  [DirectiveLocation.QUERY]: "a query",
  [DirectiveLocation.SUBSCRIPTION]: "a subscription",
  [DirectiveLocation.FIELD]: "a field",
  /** Spreads too: Hasura inlines fragments first. */
  [DirectiveLocation.INLINE_FRAGMENT]: "an inline fragment",
} as const;

/**
 * The arguments of directives by name, checked in Hasura's order: each directive is known, allowed at the place and has the right
 * arguments; then none is repeated.
 * @param at path of the element with the directives
 * @throws EngineError
 */
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
    if (directive === undefined) throw invalid(`directive "${name}" is not defined in the schema`, at);
    if (!directive.locations.includes(place))
      throw invalid(`directive "${name}" is not allowed on ${places[place]}`, at);
    if (found.has(name)) twice.add(name);
    found.set(name, inputs.arguments(directive, nodes, `${at}.${name}`));
  }
  if (twice.size > 0) throw invalid(`the following directives are used more than once: ${[...twice].join(", ")}`, at);
  return found;
}

/** Whether `@include` and `@skip` keep a selection. @throws EngineError */
export function isIncluded(
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
