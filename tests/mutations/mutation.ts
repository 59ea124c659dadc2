/** One exact change of text; `from` occurs exactly once in the file. */
export interface Edit {
  readonly from: string;
  readonly to: string;
}

/** One deliberate fault, and the tests that must notice it. */
export interface Mutation {
  /** Description of the fault. */
  readonly fault: string;
  /** Path from the repository's root. */
  readonly file: string;
  readonly edits: readonly Edit[];
  /** The suite of these tests; all suites except `unit` need Docker. */
  readonly suite: "unit" | "auth-sidecar" | "engine" | "gateway" | "database";
  /** Test files, as few as possible. */
  readonly tests: readonly string[];
  /** Part of the title of the test that must fail. A failure of another test does not count. */
  readonly noticedBy: string;
}

/**
 * The file's text with the fault applied.
 * @throws {Error} if a text does not occur exactly once: the list must match the code
 */
export function mutated(mutation: Pick<Mutation, "file" | "edits">, text: string): string {
  let result = text;
  for (const { from, to } of mutation.edits) {
    const places = result.split(from).length - 1;
    if (places !== 1)
      throw new Error(`${mutation.file}: ${JSON.stringify(from)} is there ${places} times instead of once`);
    result = result.replace(from, () => to);
  }
  if (result === text) throw new Error(`${mutation.file}: the mutation changes nothing`);
  return result;
}
