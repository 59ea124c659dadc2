import { z } from "zod";
import type { EngineProcess } from "./engine-process.ts";

export type Metadata = Readonly<Record<string, unknown>>;

const exported = z.object({ resource_version: z.int(), metadata: z.record(z.string(), z.unknown()) });
const inconsistent = z.looseObject({
  type: z.string().optional(),
  name: z.unknown().optional(),
  path: z.string().optional(),
  reason: z.string(),
});
const problemList = z.array(inconsistent);
const failure = z.object({ code: z.string(), error: z.string(), internal: z.unknown().optional() });

/** An error response of the engine, with every problem. */
export class Refusal extends Error {
  readonly code: string;

  constructor({ code, error, internal }: z.infer<typeof failure>) {
    const problems = problemList.safeParse(internal);
    super([`${error} (${code})`, ...(problems.success ? problems.data.map(describe) : [])].join("\n"));
    this.name = "Refusal";
    this.code = code;
  }
}

function describe({ type, name, path, reason }: z.infer<typeof inconsistent>): string {
  const which = typeof name === "string" ? name : name === undefined ? (path ?? "") : JSON.stringify(name);
  // Hasura's names start with the kind of object.
  const named = type === undefined || which.startsWith(`${type} `) ? which : `${type} ${which}`.trimEnd();
  return `  ${named}: ${reason}`;
}

/** The commands of Hasura's metadata API that the job uses (POST /v1/metadata). */
export class MetadataApi {
  readonly #engine: Pick<EngineProcess, "address" | "adminSecret">;

  constructor(engine: Pick<EngineProcess, "address" | "adminSecret">) {
    this.#engine = engine;
  }

  /** @throws {Refusal} */
  async #send(command: Readonly<Record<string, unknown>>): Promise<unknown> {
    const response = await fetch(`${this.#engine.address}/v1/metadata`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-hasura-admin-secret": this.#engine.adminSecret },
      body: JSON.stringify(command),
    });
    const body: unknown = await response.json();
    if (response.ok) return body;
    const parsed = failure.safeParse(body);
    throw parsed.success
      ? new Refusal(parsed.data)
      : new Error(`The engine answered ${String(command["type"])} with ${response.status}.`);
  }

  async export(): Promise<{ readonly version: number; readonly metadata: Metadata }> {
    const { resource_version: version, metadata } = exported.parse(
      await this.#send({ type: "export_metadata", version: 2, args: {} }),
    );
    return { version, metadata };
  }

  /**
   * Replaces the metadata of version `over`, and makes every engine read the databases again.
   * @throws {Refusal} for inconsistent metadata; with code `conflict` when another client has stored metadata meanwhile
   */
  async replace(metadata: Metadata, over: number): Promise<void> {
    const args = { allow_inconsistent_metadata: false, metadata };
    await this.#send({ type: "replace_metadata", version: 2, resource_version: over, args });
  }
}
