import { resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { GenericContainer, type StartedTestContainer, Wait } from "testcontainers";
import { stack } from "../../e2e/support/stack/stack.ts";
import { containerOf } from "../../e2e/support/stack/docker.ts";
import { image } from "../../harness/containers/image.ts";
import { mustRun } from "../../harness/process.ts";
import { runLabels } from "../../harness/run/run.ts";
import type { Plan } from "../clients/attacks.ts";

const folder = resolve(import.meta.dirname, "../clients");
/** Below the folder with the library `ws`. */
const inside = "/routeql/hostile";
const network = (): string => `routeql-${stack.name}-edge`;

/** The gateway, as a container on its outer network sees it. */
const gateway = (): { host: string; port: number } => ({ host: containerOf("gateway"), port: 8443 });

/** One reply to a bystander. */
export interface Answer {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly milliseconds: number;
  /** `data`, or a description of the failure. */
  readonly outcome: string;
}

/** A client with an address of its own, so that it shares no limit by address with another one. */
async function start(program: string, file: string, content: object): Promise<StartedTestContainer> {
  const container = new GenericContainer(await image("engine"))
    .withLabels(runLabels)
    .withNetworkMode(network())
    .withCopyFilesToContainer(
      ["attacks.ts", "attacker.ts", "bystander.ts"].map((name) => ({
        source: `${folder}/${name}`,
        target: `${inside}/${name}`,
      })),
    )
    .withCopyContentToContainer([
      { content: JSON.stringify({ ...gateway(), ...content }), target: `${inside}/${file}` },
    ])
    .withCommand(["node", `${inside}/${program}`])
    .withWaitStrategy(Wait.forLogMessage(/./))
    .withStartupTimeout(60_000);
  return container.start();
}

const linesOf = async (container: StartedTestContainer): Promise<string[]> =>
  (await mustRun("docker", ["logs", container.getId()])).split("\n").filter((line) => line !== "");

/** A client that sends a small query ten times a second until it is stopped. */
export class Bystander {
  readonly #container: StartedTestContainer;

  private constructor(container: StartedTestContainer) {
    this.#container = container;
  }

  static async start(token: string): Promise<Bystander> {
    return new Bystander(
      await start("bystander.ts", "bystander.json", { token, query: "{ view_hijacks(limit: 1) { key } }" }),
    );
  }

  /** All replies so far. */
  async answers(): Promise<Answer[]> {
    return (await linesOf(this.#container)).map((line) => {
      const [at, milliseconds, ...outcome] = line.split(" ");
      return { at: Number(at), milliseconds: Number(milliseconds), outcome: outcome.join(" ") };
    });
  }

  async stop(): Promise<void> {
    await this.#container.stop();
  }
}

export interface Attacked {
  readonly name: string;
  /** Milliseconds since 1970. */
  readonly begin: number;
  readonly end: number;
}

/**
 * Runs attacks in a container, one after another.
 * @throws Error if they do not end in time
 */
export async function attackFromOutside(plan: Omit<Plan, "host" | "port">): Promise<Attacked[]> {
  const container = await start("attacker.ts", "plan.json", plan);
  // Attackers are on machines of their own, so they take only processor time that nothing else needs here.
  await mustRun("docker", ["update", "--cpu-shares", "2", container.getId()]);
  const latest = performance.now() + (plan.seconds * plan.attacks.length + 90) * 1_000;
  try {
    for (;;) {
      const lines = await linesOf(container);
      if (lines.at(-1) === "finished") return read(lines);
      if (performance.now() > latest)
        throw new Error(`The attacks did not end in time:\n${lines.slice(-5).join("\n")}`);
      await sleep(500);
    }
  } finally {
    await container.stop();
  }
}

function read(lines: readonly string[]): Attacked[] {
  const moments = lines.map((line) => /^(begin|end) (\d+) (.+)$/.exec(line)).filter((match) => match !== null);
  return moments
    .filter(([, word]) => word === "begin")
    .map(([, , begin, name = ""]) => {
      const end = moments.find(([, word, , other]) => word === "end" && other === name)?.[2];
      return { name, begin: Number(begin), end: Number(end) };
    });
}
