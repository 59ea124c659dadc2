import { argumentsModule } from "./arguments-module.ts";
import { settingsDocument } from "./document.ts";
import { exampleFile } from "./example-file.ts";
import { projectFile } from "./project-file.ts";

/** Every file that is made from the list of settings, by its path in the repository. */
export function generatedFiles(): ReadonlyMap<string, string> {
  return new Map([
    ["docs/reference/settings.md", settingsDocument()],
    [".env.example", exampleFile()],
    ["Pulumi.yaml", projectFile()],
    ["infra/components/arguments.ts", argumentsModule()],
  ]);
}
