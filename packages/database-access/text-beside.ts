import { readFileSync } from "node:fs";

/** The text of a file beside a module, such as a long SQL statement: `textBeside(import.meta.url, "match.sql")`. */
export const textBeside = (module: string, file: string): string => readFileSync(new URL(file, module), "utf8");
