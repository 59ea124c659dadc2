import { access, constants, realpath, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { projectName } from "@routeql/host/paths";
import type { StackPaths } from "@routeql/host/paths";
import { shellQuote } from "../access/access.ts";
import type { Problem } from "./report.ts";

/** Permission to execute a file or to enter a folder; four times it is the permission to read. */
const classes = { others: 0o001, groupAndOthers: 0o011 } as const;

const foldersAbove = (path: string): string[] => {
  const folder = dirname(path);
  return folder === path ? [] : [folder, ...foldersAbove(folder)];
};

/** Whether users other than the owner can read a file: each folder above it lets them enter, and the file lets them read. */
export async function isReadableBy(users: keyof typeof classes, file: string): Promise<boolean> {
  try {
    const path = await realpath(file);
    const [enter, read] = [classes[users], classes[users] * 4];
    const folders = await Promise.all(foldersAbove(path).map((folder) => stat(folder)));
    return folders.every(({ mode }) => (mode & enter) !== 0) && ((await stat(path)).mode & read) !== 0;
  } catch {
    // A missing file is another check's problem.
    return false;
  }
}

/** Some file systems store no modes. */
export const withoutModes = (what: string): string =>
  `if that changes nothing, move the ${what} to a file system with modes (on WSL2 below your home)`;

/** Secrets of the stack that other users of this machine can read. */
export async function privateFileProblems({
  folder,
  accessFile,
  passphrase,
}: Pick<StackPaths, "folder" | "accessFile" | "passphrase">): Promise<Problem[]> {
  const files = await Promise.all(
    [accessFile, passphrase].map(async (file) => ((await isReadableBy("groupAndOthers", file)) ? [file] : [])),
  );
  return files
    .flat()
    .map((file) => ({
      subject: "files",
      reason: `other users of this machine can read ${file}`,
      next: `chmod -R go= ${shellQuote(folder)}; ${withoutModes("checkout")}`,
    }));
}

/** Files without which the next update has no secrets, or cannot open them, and a state folder that it cannot write. */
export async function lostFileProblems(
  { folder, passphrase, state }: Pick<StackPaths, "folder" | "passphrase" | "state">,
  stack: string,
  requireWritable = (path: string): Promise<void> => access(path, constants.W_OK),
): Promise<Problem[]> {
  const files = [passphrase, join(state, ".pulumi/stacks", projectName, `${stack}.json`)];
  const problems = files.map((file) =>
    access(file, constants.R_OK).then(
      () => [],
      (error: NodeJS.ErrnoException) => {
        const isLost = error.code === "ENOENT";
        return [
          {
            subject: "files",
            reason: `the secrets of the stack need ${file}, which ${isLost ? "is lost" : `cannot be read (${error.code})`}`,
            next: isLost ? "docs/operate/troubleshoot.md#the-disk-died" : `ls -l ${shellQuote(dirname(file))}`,
          },
        ];
      },
    ),
  );
  const writable = requireWritable(folder).then(
    () => [],
    ({ code }: NodeJS.ErrnoException) =>
      // A lost folder is the problem of its files.
      code === "ENOENT"
        ? []
        : [
            {
              subject: "files",
              reason: `the next update fails, because ${folder} cannot be written (${code})`,
              next:
                code === "EROFS"
                  ? `findmnt --target ${shellQuote(folder)} shows the file system, which is read-only`
                  : `ls -ld ${shellQuote(folder)}`,
            },
          ],
  );
  return (await Promise.all([...problems, writable])).flat();
}
