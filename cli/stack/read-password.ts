import { createInterface } from "node:readline/promises";
import { text } from "node:stream/consumers";
import { Writable } from "node:stream";

/** A password: from a prompt without echo on a terminal, otherwise from standard input without its trailing newline. */
export async function readPassword(email: string, input: NodeJS.ReadStream = process.stdin): Promise<string> {
  if (!input.isTTY) return (await text(input)).replace(/\r?\n$/, "");
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input, output: silent, terminal: true });
  try {
    process.stderr.write(`Password of ${email}: `);
    const password = await lines.question("");
    process.stderr.write("\n");
    return password;
  } finally {
    lines.close();
  }
}
