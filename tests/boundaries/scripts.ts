/**
 * Checks the shell and awk files of the repository with shellcheck and gawk; `npm run lint` runs it. As root it installs a missing program
 * with apt. Where that is impossible, it prints that the files were not checked.
 */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { canInstallPackages, findProgram, installPackages } from "@routeql/host/apt";
import { messageOf } from "@routeql/host/failure";
import { repository } from "../harness/repository.ts";
import { listedFiles } from "./listed-files.ts";

/** A shell script has the ending `.sh`, or no ending and a first line that names a shell. */
function isShell(path: string): boolean {
  if (path.endsWith(".sh")) return true;
  const [firstLine = ""] = readFileSync(join(repository, path), "utf8").split("\n", 1);
  return /^#!.*\b(ba)?sh\b/.test(firstLine);
}

const files = listedFiles();
const scripts = files.filter((path) => (path.endsWith(".sh") || !basename(path).includes(".")) && isShell(path));
const awks = files.filter((path) => path.endsWith(".awk"));

/** Runs a checker, and fails the lint if it finds a problem. A warning of gawk does not change its exit code. */
function check(program: string, args: readonly string[], isSilent: boolean): void {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd: repository, encoding: "utf8", input: "" });
  const found = `${stdout}${stderr}`;
  process.stdout.write(found);
  if (status !== 0 || (isSilent && found !== "")) process.exitCode = 1;
}

/** Why a program is absent, such as without a network; undefined if it is present. */
async function absence(program: string): Promise<string | undefined> {
  if ((await findProgram(program)) !== undefined) return undefined;
  if (!(await canInstallPackages())) return `${program} is missing`;
  console.log(`installing ${program}`);
  return installPackages([program], () => undefined, "checks scripts").then(
    () => undefined,
    (error: unknown) => `${program} is missing and cannot be installed (${messageOf(error)})`,
  );
}

const works = [
  {
    program: "shellcheck",
    checked: scripts,
    run: () => check("shellcheck", ["--external-sources", ...scripts], false),
  },
  {
    program: "gawk",
    checked: awks,
    run: () => awks.forEach((file) => check("gawk", ["--lint", `--file=${file}`], true)),
  },
];
for (const { program, checked, run } of works) {
  const reason = await absence(program);
  if (reason === undefined) {
    run();
    console.log(`${program}: ${checked.length} files`);
  } else console.log(`skipped: ${reason}, so ${checked.length} files were not checked (${checked[0]}, …)`);
}
