import { readFileSync } from "node:fs";

/** Clock ticks per second of /proc (USER_HZ): 100 on every Linux that node supports. */
const ticks = 100;

/** Processor seconds of a process, in user and kernel mode, including all its threads. */
export function cpuSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
  // The program's name may contain spaces; it ends at the last bracket. The fields after it start with the state, the third.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) / ticks;
}

/** Resident memory of a process in megabytes (10⁶ bytes). */
export function residentMegabytes(pid: number): number {
  const kibibytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "latin1"))?.[1];
  return (Number(kibibytes) * 1024) / 1e6;
}
