/** What each part of the engine costs for one request: samples of the processor by the folder of the innermost frame of the project. */
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Case } from "./contenders.ts";
import { graphqlContender, startEngineProcess } from "./contenders.ts";
import type { LoadGenerator } from "../measure/http-load.ts";

/** Parts by the path of a file; the first that matches. */
const parts: readonly (readonly [what: string, path: RegExp])[] = [
  ["log of each request", /request-log\.ts|log-lines\.ts/],
  ["tokens and sessions", /engine\/src\/auth\//],
  ["fair shares of processor, connections and memory", /engine\/src\/cost\/|shared-turns\.ts|source-connections\.ts/],
  ["metrics", /engine\/src\/metrics\.ts/],
  ["reading the request", /http\/(?:body|graphql-request)\.ts|exact-json\.ts/],
  ["limits and admission of an operation", /graphql-execution\.ts|cancellation\.ts/],
  ["sending the reply", /http\/reply\.ts/],
  ["messages to and from Postgres", /engine\/src\/postgres\//],
  ["plan from the cache, statement and answer", /engine\/src\/(?:execution|executors|sql|schema)\//],
  ["routes and headers", /engine\/src\/|packages\//],
];
const collector = "garbage collection";
const others = "node: HTTP, sockets and event loop";

export interface Price {
  readonly part: string;
  readonly microseconds: number;
}

interface Profile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: { readonly functionName: string; readonly url: string };
    readonly children?: readonly number[];
  }[];
  readonly samples: readonly number[];
  /** Microseconds before each sample. */
  readonly timeDeltas: readonly number[];
}

/** Profiles an engine under the load of one case. The profiler itself slows it, so shares count, scaled to the time without it. */
export async function measurePrice(
  asked: Case,
  databaseUrl: string,
  generator: LoadGenerator,
  { cpuMicroseconds, milliseconds }: { readonly cpuMicroseconds: number; readonly milliseconds: number },
): Promise<readonly Price[]> {
  const folder = await mkdtemp(join(tmpdir(), "routeql-profile-"));
  try {
    const flags = ["--cpu-prof", `--cpu-prof-dir=${folder}`];
    const began = performance.now();
    const window = { from: 0, to: 0 };
    {
      await using engine = await startEngineProcess(databaseUrl, { name: "engine-profiled", flags });
      const { target } = graphqlContender("engine", engine.server, engine);
      const round = (duration: number): Promise<unknown> =>
        generator.round("the profiled engine", target(asked), {
          connections: asked.connections,
          milliseconds: duration,
        });
      await round(milliseconds / 2);
      window.from = performance.now() - began;
      await round(milliseconds);
      window.to = performance.now() - began;
    }
    const [file] = await readdir(folder);
    if (file === undefined) throw new Error("the engine wrote no profile");
    return pricesOf(JSON.parse(await readFile(join(folder, file), "utf8")) as Profile, window, cpuMicroseconds);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** @param window of the load, in milliseconds since the start of the process, which is nearly that of the profile */
function pricesOf(
  profile: Profile,
  window: { readonly from: number; readonly to: number },
  whole: number,
): readonly Price[] {
  const byId = new Map(profile.nodes.map((node) => [node.id, node]));
  const parents = new Map(profile.nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])));
  const partOf = (id: number): string | undefined => {
    const name = byId.get(id)?.callFrame.functionName;
    if (name === "(idle)") return undefined;
    if (name === "(garbage collector)") return collector;
    for (let at: number | undefined = id; at !== undefined; at = parents.get(at)) {
      const url = byId.get(at)?.callFrame.url ?? "";
      if (/\/node_modules\/(?!@routeql\/)/.test(url)) continue;
      const found = parts.find(([, path]) => path.test(url));
      if (found !== undefined) return found[0];
    }
    return others;
  };
  const times = new Map<string, number>();
  let at = 0;
  for (const [index, sample] of profile.samples.entries()) {
    const delta = profile.timeDeltas[index]!;
    at += delta / 1_000;
    const part = at < window.from || at > window.to ? undefined : partOf(sample);
    if (part !== undefined) times.set(part, (times.get(part) ?? 0) + delta);
  }
  const all = [...times.values()].reduce((sum, time) => sum + time, 0);
  return [...times]
    .map(([part, time]) => ({ part, microseconds: (time / all) * whole }))
    .toSorted((one, other) => other.microseconds - one.microseconds);
}
