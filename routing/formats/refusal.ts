/** The reason why a line is rejected: a fixed sentence, so that rejections of one kind can be counted. */
export class Refusal {
  readonly reason: string;

  constructor(reason: string) {
    this.reason = reason;
  }
}

/** A whole input that cannot be loaded; the message is shown to the user. */
export class BrokenInput extends Error {
  override readonly name = "BrokenInput";
}
