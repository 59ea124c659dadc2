// Writes the files that are made from the list of settings: `node infra/settings/generate.ts`.
import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { generatedFiles } from "./reference/files.ts";

for (const [path, content] of generatedFiles()) writeFileSync(resolve(import.meta.dirname, "../..", path), content);
