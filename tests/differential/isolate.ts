import { type ASTNode, type DocumentNode, Kind, parse, print, visit } from "graphql";
import type { Call } from "./pair.ts";

const removable: ReadonlySet<string> = new Set([
  Kind.OPERATION_DEFINITION,
  Kind.FRAGMENT_DEFINITION,
  Kind.FIELD,
  Kind.INLINE_FRAGMENT,
  Kind.FRAGMENT_SPREAD,
  Kind.ARGUMENT,
  Kind.DIRECTIVE,
  Kind.OBJECT_FIELD,
  Kind.VARIABLE_DEFINITION,
]);

type Json = Readonly<Record<string, unknown>>;

/** Without the variables and fragments that the document does not use. */
export function pruned(
  document: DocumentNode,
  variables: Json,
): { readonly document: DocumentNode; readonly variables: Json } {
  const used = new Set<string>();
  visit(document, {
    VariableDefinition: () => false,
    Variable: ({ name }) => void used.add(`$${name.value}`),
    FragmentSpread: ({ name }) => void used.add(name.value),
  });
  const left = visit(document, {
    VariableDefinition: ({ variable }) => (used.has(`$${variable.name.value}`) ? undefined : null),
    FragmentDefinition: ({ name }) => (used.has(name.value) ? undefined : null),
  });
  return {
    document: left,
    variables: Object.fromEntries(Object.entries(variables).filter(([name]) => used.has(`$${name}`))),
  };
}

/** The document without its node number `index`; the items of a list count as nodes. */
function withoutNode(document: DocumentNode, index: number): { readonly left: DocumentNode; readonly count: number } {
  let count = 0;
  const left: DocumentNode = visit(document, {
    enter(node: ASTNode) {
      if (node.kind === Kind.LIST) {
        const position = index - count;
        count += node.values.length;
        if (position >= 0 && position < node.values.length)
          return { ...node, values: node.values.toSpliced(position, 1) };
      }
      if (!removable.has(node.kind)) return undefined;
      count += 1;
      return count - 1 === index ? null : undefined;
    },
  });
  const typename = { kind: Kind.FIELD, name: { kind: Kind.NAME, value: "__typename" } } as const;
  // A field without a selection would be another error.
  const whole = visit(left, {
    SelectionSet: (set) => (set.selections.length === 0 ? { ...set, selections: [typename] } : undefined),
  });
  return { left: whole, count };
}

/** Each value that lacks one item or one key of this one; inner ones first. */
function* smallerValues(value: unknown): Generator {
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      for (const smaller of smallerValues(item)) yield value.with(index, smaller);
      yield value.toSpliced(index, 1);
    }
  } else if (typeof value === "object" && value !== null) {
    for (const [name, item] of Object.entries(value)) {
      for (const smaller of smallerValues(item)) yield { ...value, [name]: smaller };
      yield Object.fromEntries(Object.entries(value).filter(([other]) => other !== name));
    }
  }
}

/**
 * Each request that lacks one part of this one, with the number of that part. Inner parts come first, so that required ones stay. None if
 * the document cannot be parsed.
 * @param before only parts with a lower number
 */
function* smaller({ query, variables = {}, ...rest }: Call, before: number): Generator<readonly [number, Call]> {
  let document: DocumentNode;
  try {
    document = parse(query);
  } catch {
    return;
  }
  const call = (left: DocumentNode, values: Json): Call => ({
    ...rest,
    query: print(left),
    ...(Object.keys(values).length > 0 && { variables: values }),
  });
  for (const values of smallerValues(variables)) yield [before, call(document, values as Json)];
  const { count } = withoutNode(document, -1);
  for (let index = Math.min(before, count) - 1; index >= 0; index -= 1) {
    const { left } = withoutNode(document, index);
    if (print(left) === print(document)) continue;
    const whole = pruned(left, variables);
    const [plain, unpruned] = [call(whole.document, whole.variables), call(left, variables)];
    yield [index, plain];
    if (JSON.stringify(plain) !== JSON.stringify(unpruned)) yield [index, unpruned];
  }
}

/** Attempts for one request. */
const most = 1_000;

/** Whether both answers hold for some request that lacks parts of this one, found by removing everything that the first does not need. */
export async function standsAlone(
  call: Call,
  first: (smaller: Call) => Promise<boolean>,
  second: (smaller: Call) => Promise<boolean>,
): Promise<boolean> {
  let found = call;
  let before = Infinity;
  for (let attempts = 0; attempts < most;) {
    let kept: readonly [number, Call] | undefined;
    for (const candidate of smaller(found, before)) {
      attempts += 1;
      if (attempts > most) return false;
      if (!(await first(candidate[1]))) continue;
      kept = candidate;
      break;
    }
    if (kept === undefined) {
      if (before === Infinity) return false;
      before = Infinity;
      continue;
    }
    [before, found] = kept;
    if (await second(found)) return true;
  }
  return false;
}
