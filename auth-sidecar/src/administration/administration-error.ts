/** A command that cannot be executed; its message is one sentence for the operator. */
export class AdministrationError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "AdministrationError";
  }
}

/** A missing or unknown subject or verb. */
export class UnknownCommand extends AdministrationError {
  /** The given verb. */
  readonly verb: string | undefined;

  constructor(message: string, verb?: string) {
    super(message);
    this.name = "UnknownCommand";
    this.verb = verb;
  }
}
