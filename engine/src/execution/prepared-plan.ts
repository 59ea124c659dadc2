import { byteString, type Bytes, type ByteString } from "../postgres/bytes.ts";
import { finalText } from "../sql/quoting.ts";
import type { QueryStatement, RootPlan } from "./plan.ts";

/** A query's plan with the final texts of its statements. */
export interface PreparedPlan {
  readonly roots: readonly RootPlan[];
  /** The constant bytes of the reply: before the first answer, between the answers, and after the last. */
  readonly frame: readonly ByteString[];
  readonly statements: readonly { readonly statement: QueryStatement; readonly text: string }[];
  /** Names of the statements' sources. */
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

/** Template, text, and the parameters with their paths and closures. */
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
function frameOf(roots: readonly RootPlan[]): ByteString[] {
  const texts = [""];
  const add = (text: string): void => {
    texts.push(`${texts.pop() ?? ""}${text}`);
  };
  const addFields = (fields: readonly RootPlan[]): void => {
    for (const [index, field] of fields.entries()) {
      add(`${index === 0 ? "{" : ","}${JSON.stringify(field.key)}:`);
      if (field.kind === "fixed") add(field.text);
      else if (field.kind === "statement") texts.push("");
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
export function splice({ frame }: PreparedPlan, answers: readonly Bytes[]): Bytes {
  const pieces: (Buffer | ByteString)[] = [];
  for (const [index, piece] of frame.entries()) {
    pieces.push(piece);
    const answer = answers[index];
    if (answer !== undefined) for (const part of answer) pieces.push(part);
  }
  return pieces;
}
