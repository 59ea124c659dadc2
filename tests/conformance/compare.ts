import { Kind, parse, type DocumentNode, type FragmentDefinitionNode, type SelectionSetNode } from "graphql";
import { isRecord } from "./json.ts";

interface Place {
  readonly path: string;
  /** Selection sets of the query at this place; empty inside a json value, where the order of keys does not matter. */
  readonly sets: readonly SelectionSetNode[];
}

function below(
  sets: readonly SelectionSetNode[],
  key: string,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
): readonly SelectionSetNode[] {
  return sets.flatMap(({ selections }) =>
    selections.flatMap((selection): readonly SelectionSetNode[] => {
      if (selection.kind === Kind.FIELD) {
        return (selection.alias?.value ?? selection.name.value) === key && selection.selectionSet !== undefined
          ? [selection.selectionSet]
          : [];
      }
      const set =
        selection.kind === Kind.INLINE_FRAGMENT
          ? selection.selectionSet
          : fragments.get(selection.name.value)?.selectionSet;
      return set === undefined ? [] : below([set], key, fragments);
    }),
  );
}

function sameScalar(expected: unknown, found: unknown): boolean {
  return (
    expected === found ||
    (typeof expected === "number" &&
      typeof found === "number" &&
      Math.abs(expected - found) <= Math.abs(expected) * 1e-15)
  );
}

/** First difference between an expected and a found answer, or nothing. */
function difference(
  expected: unknown,
  found: unknown,
  place: Place,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
): string | undefined {
  const { path, sets } = place;
  if (Array.isArray(expected) && Array.isArray(found)) {
    if (expected.length !== found.length) return `${path}: expected ${expected.length} items, found ${found.length}`;
    for (const [index, item] of expected.entries()) {
      const inner = difference(item, found[index], { path: `${path}[${index}]`, sets }, fragments);
      if (inner !== undefined) return inner;
    }
    return undefined;
  }
  if (isRecord(expected) && isRecord(found)) {
    const wanted = Object.keys(expected);
    const given = Object.keys(found);
    const missing = wanted.find((key) => !given.includes(key));
    const extra = given.find((key) => !wanted.includes(key));
    if (missing !== undefined) return `${path}.${missing}: is missing`;
    if (extra !== undefined) return `${path}.${extra}: is not expected`;
    if (sets.length > 0 && wanted.join("\n") !== given.join("\n"))
      return `${path}: expected the keys ${wanted.join(", ")} in this order, found ${given.join(", ")}`;
    for (const key of wanted) {
      const inner = difference(
        expected[key],
        found[key],
        { path: `${path}.${key}`, sets: below(sets, key, fragments) },
        fragments,
      );
      if (inner !== undefined) return inner;
    }
    return undefined;
  }
  return sameScalar(expected, found)
    ? undefined
    : `${path}: expected ${JSON.stringify(expected)}, found ${JSON.stringify(found)}`;
}

function parsed(query: unknown): DocumentNode | undefined {
  try {
    return typeof query === "string" ? parse(query) : undefined;
  } catch {
    return undefined;
  }
}

interface ErrorLike {
  readonly code: unknown;
  readonly path: unknown;
  readonly message: unknown;
}

/** The one error of an answer, in the GraphQL form or the older one. */
function errorOf(answer: unknown): ErrorLike | undefined {
  if (!isRecord(answer)) return undefined;
  const [first] = Array.isArray(answer["errors"]) ? (answer["errors"] as readonly unknown[]) : [];
  if (isRecord(first)) {
    const extensions = isRecord(first["extensions"]) ? first["extensions"] : {};
    return { code: extensions["code"], path: extensions["path"], message: first["message"] };
  }
  return "error" in answer && "code" in answer
    ? { code: answer["code"], path: answer["path"], message: answer["error"] }
    : undefined;
}

export interface Comparison {
  /** The difference; undefined if the answers agree. */
  readonly difference: string | undefined;
  /** A different error text, which Hasura's own suite treats as a warning. */
  readonly note: string | undefined;
}

/** Compares as Hasura's suite does: data with the order of selected keys, errors by code and path. */
export function compareAnswers(request: unknown, expected: unknown, found: unknown): Comparison {
  if (Array.isArray(request) && Array.isArray(expected)) {
    const answers = Array.isArray(found) ? (found as readonly unknown[]) : [];
    if (answers.length !== expected.length)
      return { difference: `expected ${expected.length} answers, found ${JSON.stringify(found)}`, note: undefined };
    const each = expected.map((item, index) => compareAnswers(request[index], item, answers[index]));
    return {
      difference: each.find((one) => one.difference !== undefined)?.difference,
      note: each.find(({ note }) => note !== undefined)?.note,
    };
  }
  const wanted = errorOf(expected);
  const given = errorOf(found);
  if (wanted !== undefined && given !== undefined) {
    // A rejected WebSocket connection contains only the message.
    const onlyMessage = given.code === undefined && given.path === undefined;
    const same = onlyMessage
      ? wanted.message === given.message
      : wanted.code === given.code && wanted.path === given.path;
    const shown = (error: ErrorLike) => `${String(error.code)} at ${String(error.path)}: ${String(error.message)}`;
    return {
      difference: same ? undefined : `expected the error ${shown(wanted)}\n      found the error ${shown(given)}`,
      note:
        wanted.message === given.message
          ? undefined
          : `expected the text ${String(wanted.message)}, found ${String(given.message)}`,
    };
  }
  const document = parsed(isRecord(request) ? request["query"] : undefined);
  const fragments = new Map<string, FragmentDefinitionNode>();
  const sets: SelectionSetNode[] = [];
  for (const definition of document?.definitions ?? []) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition);
    if (definition.kind === Kind.OPERATION_DEFINITION) sets.push(definition.selectionSet);
  }
  if (given !== undefined)
    return { difference: `expected an answer, found the error ${JSON.stringify(given)}`, note: undefined };
  if (
    isRecord(expected) &&
    isRecord(found) &&
    "data" in expected &&
    "data" in found &&
    Object.keys(found).length === 1
  ) {
    return {
      difference: difference(expected["data"], found["data"], { path: "data", sets }, fragments),
      note: undefined,
    };
  }
  return { difference: difference(expected, found, { path: "$", sets: [] }, fragments), note: undefined };
}
