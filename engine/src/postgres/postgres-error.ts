/** Postgres' error about a failed statement. */
export class PostgresError extends Error {
  /** SQLSTATE, five characters. */
  readonly code: string;
  readonly detail: string | undefined;
  readonly hint: string | undefined;

  /** @param body of an ErrorResponse: fields of a letter and a zero-terminated text, and a final zero byte */
  constructor(body: Buffer) {
    const fields = new Map(
      body
        .toString("utf8")
        .split("\0")
        .filter((field) => field !== "")
        .map((field) => [field.charAt(0), field.slice(1)]),
    );
    super(fields.get("M") ?? "unknown failure");
    this.name = "PostgresError";
    this.code = fields.get("C") ?? "XX000";
    this.detail = fields.get("D");
    this.hint = fields.get("H");
  }
}
