import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface WithoutProc extends AsyncDisposable {
  /** A program with its arguments that starts a command there. */
  readonly through: readonly string[];
  readonly path: string;
}

/** `ps` of procps reads /proc itself, so this one has the two columns that the commands ask for. macOS has its own. */
const ps = `#!/bin/sh
# ps -o COLUMN= -p PID
[ -d "$PROC_OF_PS/$4" ] || exit 1
case $2 in
  lstart=) sed 's/.*) //' "$PROC_OF_PS/$4/stat" | cut -d ' ' -f 20 ;;
  command=) tr '\\0' ' ' <"$PROC_OF_PS/$4/cmdline" ;;
esac
`;

/** Hides /proc behind an empty folder, as on macOS. */
const hide = `mount --rbind /proc "$1/proc" && mount -t tmpfs tmpfs /proc && export PROC_OF_PS="$1/proc"; shift; exec "$@"`;

/** Surroundings without /proc, for commands of root. */
export async function withoutProc(): Promise<WithoutProc> {
  const folder = await mkdtemp(join(tmpdir(), "routeql-no-proc-"));
  await mkdir(join(folder, "proc"));
  await mkdir(join(folder, "bin"));
  await writeFile(join(folder, "bin/ps"), ps);
  await chmod(join(folder, "bin/ps"), 0o755);
  return {
    through: ["unshare", "--mount", "--propagation", "private", "sh", "-c", hide, "sh", folder],
    path: `${join(folder, "bin")}:${process.env["PATH"] ?? ""}`,
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  };
}
