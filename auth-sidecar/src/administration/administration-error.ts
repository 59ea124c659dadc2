/** A command that cannot be carried out, told to the operator in one sentence. */
export class AdministrationError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "AdministrationError";
  }
}

/** A subject or a verb that there is not, or none. */
export class UnknownCommand extends AdministrationError {
  /** What was given in the place of a verb. */
  readonly verb: string | undefined;

  constructor(message: string, verb?: string) {
    super(message);
    this.name = "UnknownCommand";
    this.verb = verb;
  }
}
