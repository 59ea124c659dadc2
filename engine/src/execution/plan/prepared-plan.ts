import { checkCharacters } from "../../cost/limits.ts";
import { EngineError } from "../../errors.ts";
import type { Session } from "../../interface.ts";
import { type Bytes, byteString, type ByteString } from "../../postgres/bytes.ts";
import type { Parameter } from "../../sql/expression.ts";
import { finalText, type Sql } from "../../sql/sql.ts";
import type { QueryStatement, RootPlan } from "./plan.ts";
import type { VariableValues } from "../document/variables.ts";

/** A query's plan with the final texts of its statements. */
export interface PreparedPlan {
  readonly roots: readonly RootPlan[];
  /** The constant bytes of the reply: before the first answer, between the answers, and after the last. */
  readonly frame: readonly ByteString[];
  readonly statements: readonly { readonly statement: QueryStatement; readonly text: Sql }[];
  readonly sources: readonly string[];
  /** Upper estimate of its bytes. */
  readonly size: number;
}

function statementsOf(roots: readonly RootPlan[]): readonly QueryStatement[] {
  return roots.flatMap((root) =>
    root.kind === "statement" ? [root.statement] : root.kind === "namespace" ? statementsOf(root.fields) : [],
  );
}

function fixedLength(roots: readonly RootPlan[]): number {
  return roots.reduce(
    (sum, root) =>
      sum + (root.kind === "fixed" ? root.text.length : root.kind === "namespace" ? fixedLength(root.fields) : 0),
    0,
  );
}

function bytesOf({ template, parameters }: QueryStatement, text: string): number {
  const constants = parameters.reduce(
    (sum, { source }) => sum + (source.kind === "constant" ? (source.text?.length ?? 0) : 0),
    0,
  );
  return 500 + 2 * (template.length + text.length + constants) + 1_000 * parameters.length;
}

export function preparePlan(roots: readonly RootPlan[]): PreparedPlan {
  const statements = statementsOf(roots).map((statement) => ({ statement, text: finalText(statement.template) }));
  const frame = frameOf(roots);
  const ofFrame = frame.reduce((sum, { length }) => sum + length, 0);
  const size = statements.reduce(
    (sum, { text, statement }) => sum + bytesOf(statement, text),
    1_000 + ofFrame + 2 * fixedLength(roots),
  );
  return { roots, frame, statements, sources: [...new Set(statements.map(({ statement }) => statement.source))], size };
}

/** Keys in the order of the query; answers come in the order of the statements. */
export function frameOf(roots: readonly RootPlan[]): ByteString[] {
  const texts = [""];
  const add = (text: string): void => {
    texts.push(`${texts.pop() ?? ""}${text}`);
  };
  const addFields = (fields: readonly RootPlan[]): void => {
    for (const [index, field] of fields.entries()) {
      add(`${index === 0 ? "{" : ","}${JSON.stringify(field.key)}:`);
      if (field.kind === "fixed") add(field.text);
      else if (field.kind === "statement" || field.kind === "write") texts.push("");
      else addFields(field.fields);
    }
    add(fields.length === 0 ? "{}" : "}");
  };
  add('{"data":');
  addFields(roots);
  add("}");
  return texts.map((text) => byteString(Buffer.from(text)));
}

/** The whole reply: the answers from Postgres within their frame. */
export function splice({ frame }: Pick<PreparedPlan, "frame">, answers: readonly Bytes[]): Bytes {
  const pieces: (Buffer | ByteString)[] = [];
  for (const [index, piece] of frame.entries()) {
    pieces.push(piece);
    const answer = answers[index];
    if (answer !== undefined) for (const part of answer) pieces.push(part);
  }
  return pieces;
}

/** Session variables sorted by name, as one JSON object; for functions with a session argument. */
function sessionObject(session: Session): string {
  const names = [...session.variables.keys()].sort();
  const all: Record<string, string> = { "x-hasura-role": session.role };
  for (const name of names) all[name] = session.variables.get(name) ?? "";
  all["x-hasura-role"] = session.role;
  return JSON.stringify(all);
}

/** Texts from this length on are created once per variable and type: a document can use a variable in many places. */
const longText = 1_000;

class ParameterValues {
  readonly #variables: VariableValues;
  #long: Map<string, string> | undefined;
  #characters = 0;

  constructor(variables: VariableValues) {
    this.#variables = variables;
  }

  variable({ name, encode }: Parameter["source"] & { readonly kind: "variable" }, type: string): string | null {
    const known = this.#long?.get(`${name} ${type}`);
    const text = known ?? encode(Object.hasOwn(this.#variables, name) ? this.#variables[name] : undefined);
    if (text !== null && known === undefined && text.length >= longText)
      (this.#long ??= new Map()).set(`${name} ${type}`, text);
    return this.counted(text);
  }

  counted(text: string | null): string | null {
    this.#characters += text?.length ?? 0;
    checkCharacters(this.#characters);
    return text;
  }
}

/** The values of one request's parameters. @throws EngineError not-found for a missing session variable: no filter may match all rows */
export function resolveStatements(
  statements: readonly (readonly Parameter[])[],
  session: Session,
  variables: VariableValues,
): (string | null)[][] {
  const missing = new Set<string>();
  const resolved = statements.map((parameters) => valuesOf(parameters, session, variables, missing));
  for (const name of missing)
    throw new EngineError({ code: "not-found", message: `missing session variable: "${name}"` });
  return resolved;
}

/** The same for one statement. */
export function resolveParameters(
  parameters: readonly Parameter[],
  session: Session,
  variables: VariableValues,
): (string | null)[] {
  return resolveStatements([parameters], session, variables)[0] ?? [];
}

function valuesOf(
  parameters: readonly Parameter[],
  session: Session,
  variables: VariableValues,
  missing: Set<string>,
): (string | null)[] {
  const values = new ParameterValues(variables);
  return parameters.map(({ source, type }) => {
    switch (source.kind) {
      case "constant":
        return values.counted(source.text);
      case "session": {
        const value = source.name === "x-hasura-role" ? session.role : session.variables.get(source.name);
        if (value === undefined) missing.add(source.name);
        return value ?? null;
      }
      case "session-object":
        return sessionObject(session);
      default:
        return values.variable(source, type);
    }
  });
}
