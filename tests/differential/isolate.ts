import { type ASTNode, Kind, parse, print, visit } from "graphql";
import type { Call } from "./pair.ts";

const removable: ReadonlySet<string> = new Set([
  Kind.FIELD,
  Kind.INLINE_FRAGMENT,
  Kind.FRAGMENT_SPREAD,
  Kind.ARGUMENT,
  Kind.DIRECTIVE,
  Kind.OBJECT_FIELD,
  Kind.VARIABLE_DEFINITION,
]);

/** Each request that lacks one node of this one. None if the document cannot be parsed. */
function* smaller(call: Call): Generator<Call> {
  let document: ASTNode;
  try {
    document = parse(call.query);
  } catch {
    return;
  }
  for (let index = 0; ; index += 1) {
    let count = 0;
    let removed: string | undefined;
    const rest: ASTNode = visit(document, {
      enter(node) {
        if (!removable.has(node.kind)) return undefined;
        count += 1;
        if (count - 1 !== index) return undefined;
        removed = node.kind === Kind.VARIABLE_DEFINITION ? node.variable.name.value : "";
        return null;
      },
    });
    if (removed === undefined) return;
    const variables = Object.entries(call.variables ?? {}).filter(([name]) => name !== removed);
    const { variables: _variables, ...others } = call;
    yield { ...others, query: print(rest), ...(variables.length > 0 && { variables: Object.fromEntries(variables) }) };
  }
}

/** Attempts for one request. */
const most = 200;

/** The request without everything that `keeps` does not need. */
export async function isolated(call: Call, keeps: (smaller: Call) => Promise<boolean>): Promise<Call> {
  let found = call;
  for (let attempts = 0, changed = true; changed && attempts < most;) {
    changed = false;
    for (const candidate of smaller(found)) {
      attempts += 1;
      if (attempts > most) break;
      if (!(await keeps(candidate))) continue;
      found = candidate;
      changed = true;
      break;
    }
  }
  return found;
}
