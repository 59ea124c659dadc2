/** Why one line is not loaded: a fixed sentence, so that refusals of one kind can be counted together. */
export class Refusal {
  readonly reason: string;

  constructor(reason: string) {
    this.reason = reason;
  }
}

/** A whole input that cannot be loaded; the message is for people. */
export class BrokenInput extends Error {
  override readonly name = "BrokenInput";
}
