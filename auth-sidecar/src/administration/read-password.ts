import { text } from "node:stream/consumers";
import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { longestPassword } from "../passwords/password-hash.ts";
import { secretWeakness } from "@routeql/sidecar-settings/weak-secrets";
import { AdministrationError } from "./command.ts";

/** A new password, from the terminal or standard input. @throws {AdministrationError} if it is too weak or too long */
export async function readNewPassword(input: NodeJS.ReadStream = process.stdin): Promise<string> {
  const [first = "", second] = await readSecret(["New password: ", "Once more: "], input);
  if (first !== second) throw new AdministrationError("the two differ");
  return checkedPassword(first);
}

/** @throws {AdministrationError} */
export function checkedPassword(password: string): string {
  const weakness = secretWeakness(password, 12);
  if (weakness !== undefined) throw new AdministrationError(`the password ${weakness}`);
  if (Buffer.byteLength(password) > longestPassword)
    throw new AdministrationError(`the password must have at most ${longestPassword} bytes`);
  return password;
}

/** A secret: from a terminal by prompts without echo, otherwise standard input without one trailing newline. @returns each answer */
export async function readSecret(
  prompts: readonly string[],
  input: NodeJS.ReadStream = process.stdin,
): Promise<readonly string[]> {
  if (!input.isTTY) {
    const given = (await text(input)).replace(/\r?\n$/, "");
    return prompts.map(() => given);
  }
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input, output: silent, terminal: true });
  const answers: string[] = [];
  try {
    for (const prompt of prompts) {
      process.stderr.write(prompt);
      answers.push(await lines.question(""));
      process.stderr.write("\n");
    }
  } finally {
    lines.close();
  }
  return answers;
}
