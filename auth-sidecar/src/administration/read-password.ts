import { text } from "node:stream/consumers";
import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { longestPassword } from "../passwords/password-hash.ts";
import { secretWeakness } from "../weak-secrets.ts";
import { AdministrationError } from "./command.ts";

/**
 * A new password: from a terminal by two prompts without echo, otherwise all of standard input without one trailing newline.
 * @throws {AdministrationError} if it is too weak or too long
 */
export async function readNewPassword(input: NodeJS.ReadStream = process.stdin): Promise<string> {
  return checkedPassword(input.isTTY ? await prompted(input) : (await text(input)).replace(/\r?\n$/, ""));
}

/** @throws {AdministrationError} */
export function checkedPassword(password: string): string {
  const weakness = secretWeakness(password, 12);
  if (weakness !== undefined) throw new AdministrationError(`the password ${weakness}`);
  if (Buffer.byteLength(password) > longestPassword)
    throw new AdministrationError(`the password must have at most ${longestPassword} bytes`);
  return password;
}

async function prompted(input: NodeJS.ReadStream): Promise<string> {
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input, output: silent, terminal: true });
  try {
    process.stderr.write("New password: ");
    const first = await lines.question("");
    process.stderr.write("\nOnce more: ");
    const second = await lines.question("");
    process.stderr.write("\n");
    if (first !== second) throw new AdministrationError("the two differ");
    return first;
  } finally {
    lines.close();
  }
}
