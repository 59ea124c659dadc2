import { cp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { run } from "../../harness/process.ts";
import { type Checkout, checkOut } from "../../pulumi/support/checkout.ts";

/** Seconds for one block of commands on a machine at load. */
const patience = 600;

/** A checkout in which an operator works, with other values than those of the pages. */
export class Machine {
  readonly folder: string;
  readonly #checkout: Checkout;
  readonly #values: ReadonlyMap<string, string>;

  /** @param values a value for each word of the pages: a stack, a port, a folder or a host */
  private constructor(checkout: Checkout, values: ReadonlyMap<string, string>) {
    this.folder = checkout.folder;
    this.#checkout = checkout;
    this.#values = values;
  }

  static async create(values: ReadonlyMap<string, string>): Promise<Machine> {
    const checkout = await checkOut({});
    await rm(join(checkout.folder, ".env"));
    return new Machine(checkout, values);
  }

  /** Runs commands as a shell of the operator does, and stops at the first one that fails. @returns its output */
  async type(commands: string): Promise<string> {
    const translated = [...this.#values].reduce(
      (text, [word, value]) => text.replaceAll(new RegExp(`(?<!\\w)${RegExp.escape(word)}(?!\\w)`, "g"), () => value),
      commands,
    );
    const env = {
      ...process.env,
      ROUTEQL_ENVIRONMENT_FILE: undefined,
      PATH: `${dirname(process.execPath)}:${process.env["PATH"]}`,
    };
    // Bash reads its rc files when its input is a socket, as here.
    const shell = [String(patience), "bash", "--norc", "-euo", "pipefail", "-c", translated];
    const { code, stdout, stderr } = await run("timeout", shell, { cwd: this.folder, env });
    const output = `${stdout}${stderr}`;
    if (code !== 0) throw new Error(`the commands ended with ${code}:\n${output.slice(-4000)}`);
    return output;
  }

  async write(file: string, text: string): Promise<void> {
    await mkdir(dirname(join(this.folder, file)), { recursive: true });
    await writeFile(join(this.folder, file), text, { mode: 0o600 });
  }

  /** Adds lines to a file. */
  async append(file: string, lines: string): Promise<void> {
    await this.write(file, (await readFile(join(this.folder, file), "utf8")) + lines);
  }

  /** Copies files of another machine. */
  async copyFrom(other: Machine, ...files: readonly string[]): Promise<void> {
    for (const file of files) await cp(join(other.folder, file), join(this.folder, file), { recursive: true });
  }

  async dispose(): Promise<void> {
    await this.#checkout[Symbol.asyncDispose]();
  }
}
