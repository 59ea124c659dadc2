import { EngineError, type Session, toEngineError } from "@routeql/engine";
import type { World } from "./world.ts";

/** A name that no table, column or relationship has. */
const unused = "no_such_name";

/**
 * - `served`: the statement ran;
 * - `no comparison`: the statement was made, and Postgres has no order or equality for the column's type;
 * - `does not exist`: rejected in the same words as an unknown name;
 * - anything else: the error's own text.
 */
export type Outcome = string;

interface Failure {
  readonly message: string;
  readonly extensions: { readonly path: string; readonly code: string };
}

async function failureOf(world: World, session: Session, document: string): Promise<Failure | undefined> {
  if (document.startsWith("subscription")) {
    const reply = JSON.parse(await world.reply(session, document)) as { errors?: readonly Failure[] };
    return reply.errors?.[0];
  }
  try {
    await world.engine.execute({ query: document }, session);
    return undefined;
  } catch (error) {
    if (error instanceof EngineError && error.code === "unexpected" && !lacksComparison(error)) throw error;
    return toEngineError(error).toJSON();
  }
}

function lacksComparison({ internal }: EngineError): boolean {
  return /could not identify an? (ordering|equality) operator|operator does not exist/.test(
    JSON.stringify(internal ?? null),
  );
}

const withoutName = (failure: Failure | undefined, name: string) =>
  JSON.stringify(failure ?? null).replaceAll(new RegExp(`\\b${name}`, "g"), "NAME");

/** Result of a document that uses `name`. */
export async function outcomeOf(world: World, session: Session, document: string, name: string): Promise<Outcome> {
  const failure = await failureOf(world, session, document);
  if (failure === undefined) return "served";
  const { code, path } = failure.extensions;
  if (code === "unexpected" && failure.message === "database query error") return "no comparison";
  const baseline = await failureOf(world, session, document.split(new RegExp(`\\b${name}`)).join(unused));
  const isUnknownName = code === "validation-failed" && withoutName(failure, name) === withoutName(baseline, unused);
  return isUnknownName ? "does not exist" : `${code} at ${path}: ${failure.message}`;
}
