import { readFileSync } from "node:fs";
import { expect, test, vi } from "vitest";
import { diskProblems, fullDisks, readDisk } from "./disks.ts";

const printed = (free: number, size: number, files = "100 1000"): string =>
  `   Avail 1K-blocks    IFree   Inodes\n${free} ${size} ${files}\n`;

test("names each nearly full disk once, with the services whose data is on it", async () => {
  const answers: Readonly<Record<string, string>> = {
    database: printed(3_000_000, 250_000_000),
    sessions: printed(3_000_000, 250_000_000),
    archive: printed(0, 10_000_000),
  };
  const asked: (readonly string[])[] = [];
  const problems = await diskProblems(
    ["database", "database", "engine", "sessions", "archive"],
    (service) =>
      Promise.resolve(async (program, { output }) => {
        asked.push(program);
        output.write(answers[service]);
        return 0;
      }),
    new AbortController().signal,
  );
  expect(problems).toEqual([
    {
      subject: "disk",
      reason: "that of database, sessions has 3.1 of 256.0 GB free",
      next: "docs/operate/runbooks.md#disknearlyfull",
    },
    expect.objectContaining({ reason: "that of archive has 0.0 of 10.2 GB free" }),
  ]);
  expect(asked).toHaveLength(3);
  expect(asked[0]).toEqual([
    "df",
    "--output=avail,size,iavail,itotal",
    "--block-size=1024",
    "/var/lib/postgresql/data",
  ]);
});

test("names the full disk of the containers while the database does not run", async () => {
  const asked: (readonly string[])[] = [];
  const problems = await diskProblems(
    ["gateway", "engine"],
    () =>
      Promise.resolve(async (program, { output }) => {
        asked.push(program);
        output.write(printed(0, 50_000_000));
        return 0;
      }),
    new AbortController().signal,
  );
  expect(problems).toMatchObject([{ subject: "disk", reason: "that of gateway has 0.0 of 51.2 GB free" }]);
  expect(asked.map((program) => program.at(-1))).toEqual(["/"]);
});

test.each([
  ["a tenth free", printed(2_000_000, 10_000_000)],
  ["20 GB free of a large disk", printed(20_000_000, 1_000_000_000)],
  ["a file system without a count of files", printed(9, 10, "- -")],
  ["a file system without a limit of files", printed(9, 10, "0 0")],
])("accepts %s", (_title, text) => {
  expect(fullDisks([readDisk("database", text)!])).toEqual([]);
});

test("reports a disk without free files", () => {
  expect(fullDisks([readDisk("database", printed(9, 10, "9 1000"))!])).toMatchObject([
    { reason: "that of database has 9 of 1000 files left" },
  ]);
});

test("ignores a container that does not answer", async () => {
  expect(
    await diskProblems(["database"], () => Promise.reject(new Error("gone")), new AbortController().signal),
  ).toEqual([]);
  expect(readDisk("database", "df: no such option\n")).toBeUndefined();
});

test("waits five seconds for a connection to a container that never opens", async () => {
  vi.spyOn(AbortSignal, "timeout").mockImplementation((milliseconds) => {
    expect(milliseconds).toBe(5000);
    return AbortSignal.abort(new Error("too late"));
  });
  try {
    const never = (): Promise<never> => new Promise(() => undefined);
    expect(await diskProblems(["database"], never, new AbortController().signal)).toEqual([]);
  } finally {
    vi.restoreAllMocks();
  }
}, 1000);

test("has the bounds of the alert", () => {
  const rules = readFileSync("infra/monitoring/alerts.yml", "utf8");
  const [, share, enough] = /alert: DiskNearlyFull.*?< ([\d.]+)\n.*?< ([\de.]+)\n/s.exec(rules) ?? [];
  const size = 2 * (Number(enough) / Number(share));
  const problems = (bytes: number, free: number) =>
    fullDisks([{ service: "database", freeBytes: free, bytes, freeFiles: 100, files: 100 }]).length;
  expect([problems(size, Number(enough)), problems(size, Number(enough) - 1)]).toEqual([0, 1]);
  expect([problems(1000, Number(share) * 1000), problems(1000, Number(share) * 1000 - 1)]).toEqual([0, 1]);
});
