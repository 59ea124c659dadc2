/** A command that cannot be carried out, told to the operator in one sentence. */
export class AdministrationError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "AdministrationError";
  }
}
