import { readFileSync } from "node:fs";

/** Clock ticks a second of /proc (USER_HZ), 100 on every Linux that node runs on. */
const ticks = 100;

/** Seconds of processor time that a process has used, in user and kernel, with those of all its threads. */
export function cpuSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
  // The program's name may hold spaces; it ends at the last bracket. Fields are counted from there: state is the third.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) / ticks;
}

/** Resident memory of a process in megabytes (10⁶ bytes). */
export function residentMegabytes(pid: number): number {
  const kibibytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "latin1"))?.[1];
  return (Number(kibibytes) * 1024) / 1e6;
}
