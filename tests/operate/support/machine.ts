import { cp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { run } from "../../harness/process.ts";
import { type Checkout, checkOut } from "../../pulumi/support/checkout.ts";
import type { Block } from "./pages.ts";

/** Milliseconds for one block of commands on a machine at load. */
const patience = 600_000;

/** A checkout in which an operator works, with other values than those of the pages. */
export class Machine implements AsyncDisposable {
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

  /** Runs the commands of a block as a shell of the operator does, and stops at the first one that fails. @returns its output */
  async type({ name, page, commands }: Block): Promise<string> {
    const { code, stdout, stderr } = await run("bash", ["-euo", "pipefail", "-c", this.#translate(commands)], {
      cwd: this.folder,
      env: {
        ...process.env,
        ROUTEQL_ENVIRONMENT_FILE: undefined,
        PATH: `${dirname(process.execPath)}:${process.env["PATH"]}`,
      },
      timeout: patience,
    });
    const output = `${stdout}${stderr}`;
    if (code !== 0) throw new Error(`${page}: the block ${name} ended with ${code}:\n${output.slice(-4000)}`);
    return output;
  }

  #translate(commands: string): string {
    return [...this.#values].reduce(
      (text, [word, value]) => text.replaceAll(new RegExp(`(?<![\\w.])${RegExp.escape(word)}(?!\\w)`, "g"), value),
      commands,
    );
  }

  async write(file: string, text: string): Promise<void> {
    await mkdir(dirname(join(this.folder, file)), { recursive: true });
    await writeFile(join(this.folder, file), text, { mode: 0o600 });
  }

  /** Adds settings to an environment file. */
  async set(file: string, settings: Readonly<Record<string, string | number>>): Promise<void> {
    const before = await readFile(join(this.folder, file), "utf8");
    const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}\n`);
    await this.write(file, before + lines.join(""));
  }

  /** Copies files of another machine, such as a saved state. */
  async copyFrom(other: Machine, ...files: readonly string[]): Promise<void> {
    for (const file of files) await cp(join(other.folder, file), join(this.folder, file), { recursive: true });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#checkout[Symbol.asyncDispose]();
  }
}
