/** The job apply-metadata: stores a metadata directory through the engine's program, unless it is inconsistent, and reads it back. */
import { loadMetadata } from "@routeql/metadata/read/load";
import { describeProblem } from "@routeql/metadata/read/problems";
import { validateMetadata } from "@routeql/metadata/read/validate";
import { apply, withPoolSize } from "./apply.ts";
import { startEngine } from "./engine-process.ts";
import { MetadataApi } from "./metadata-api.ts";
import { readSettings } from "./settings.ts";

async function main(): Promise<string> {
  const settings = readSettings(process.env);
  const loaded = loadMetadata(settings.directory);
  // Hasura ignores unknown keys in many places, such as a misspelt `limit`. It checks everything else itself.
  const { problems } = validateMetadata(loaded, { allowUnsupported: true });
  const invalid = problems.filter(({ kind }) => kind === "invalid");
  if (invalid.length > 0)
    throw new Error(["The metadata is invalid, and nothing was changed:", ...invalid.map(describeProblem)].join("\n"));
  await using engine = await startEngine(settings);
  return await apply(new MetadataApi(engine), withPoolSize(loaded.merged, settings.poolSize));
}

try {
  console.log(`apply-metadata: ${await main()}`);
} catch (error) {
  console.error(`apply-metadata: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
