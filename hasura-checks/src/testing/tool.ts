import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { main } from "../main.ts";

/** Runs the tool in this process, in a directory. @returns exit code and outputs */
export async function routeql(
  directory: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
) {
  const [stdout, stderr]: [string[], string[]] = [[], []];
  const code = await main(args, {
    directory,
    environment,
    colours: false,
    out: (text) => stdout.push(`${text}\n`),
    err: (text) => stderr.push(`${text}\n`),
  });
  return { code, stdout: stdout.join(""), stderr: withoutProgress(stderr.join("")) };
}

/** Standard error without the lines that only a slow machine sees. */
export const withoutProgress = (text: string): string => text.replaceAll(/^\d+ of \d+ roles after .*(?:\n|$)/gm, "");

/** The reason to skip a test that compares with a revision of git; undefined if git is installed. */
export const gitAbsent = (): string | undefined =>
  spawnSync("git", ["--version"]).error === undefined ? undefined : "git is not installed";

/** A temporary metadata directory for one test; `using folder = new MetadataFolder(…)`. */
export class MetadataFolder implements Disposable {
  /** The working directory, with the metadata in `metadata/`. */
  readonly path: string = mkdtempSync(join(tmpdir(), "routeql-tools-"));

  /** @param tables the text of one file for each table @param more further files by path, relative to the working directory */
  constructor(tables: readonly string[], more: Readonly<Record<string, string>> = {}) {
    this.write("metadata/version.yaml", "version: 3\n");
    this.write(
      "metadata/databases/databases.yaml",
      '- name: default\n  kind: postgres\n  configuration:\n    connection_info:\n      database_url:\n        from_env: TOOLS_TEST_DATABASE\n  tables: "!include default/tables/tables.yaml"\n',
    );
    this.write(
      "metadata/databases/default/tables/tables.yaml",
      tables.length === 0 ? "[]\n" : tables.map((_text, index) => `- "!include t${index}.yaml"\n`).join(""),
    );
    for (const [index, text] of tables.entries()) this.write(`metadata/databases/default/tables/t${index}.yaml`, text);
    for (const [name, text] of Object.entries(more)) this.write(name, text);
  }

  write(name: string, text: string): void {
    mkdirSync(dirname(join(this.path, name)), { recursive: true });
    writeFileSync(join(this.path, name), text);
  }

  git(...args: readonly string[]): void {
    execFileSync("git", ["-C", this.path, "-c", "user.name=test", "-c", "user.email=test@example.net", ...args]);
  }

  /** Commits all files, and creates the git repository first if there is none. */
  commit(message = "before"): void {
    this.git("init", "--quiet");
    this.git("add", ".");
    this.git("commit", "--quiet", "--message", message);
  }

  [Symbol.dispose](): void {
    rmSync(this.path, { recursive: true });
  }
}

/** One table with one select permission of role `reader`; `permission` are lines of YAML below it. */
export function tableFile(name: string, permission: string, more = ""): string {
  const indented = permission
    .trim()
    .split("\n")
    .map((line) => `      ${line}`)
    .join("\n");
  return `table:\n  name: ${name}\n  schema: public\n${more}select_permissions:\n  - role: reader\n    permission:\n${indented}\n`;
}

/** Lines of a permission without findings. */
export const sound = "columns: [id]\nfilter:\n  owner: {_eq: X-Hasura-User-Id}\nlimit: 10";
