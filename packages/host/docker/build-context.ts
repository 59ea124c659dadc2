import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, relative, sep } from "node:path";
import dockerignore from "@balena/dockerignore";

function below(root: string, path: string): string[] {
  const absolute = join(root, path);
  if (statSync(absolute).isFile()) return [absolute];
  return readdirSync(absolute, { withFileTypes: true }).flatMap((entry) => {
    const child = join(absolute, entry.name);
    if (entry.isDirectory()) return entry.name === "node_modules" ? [] : below(root, relative(root, child));
    return [child];
  });
}

/** The files that a copy of `sources` includes, without those of .dockerignore. @param root absolute @throws if a source is missing */
export function contextFiles(root: string, sources: readonly string[]): readonly ContextFile[] {
  const ignored = dockerignore.default().add(readFileSync(join(root, ".dockerignore"), "utf8"));
  const paths = new Set(
    sources.flatMap((source) => below(root, source)).map((path) => relative(root, path).split(sep).join("/")),
  );
  return [...paths]
    .filter((path) => !ignored.ignores(path))
    .map((path) => ({
      path,
      content: readFileSync(join(root, path)),
      executable: (statSync(join(root, path)).mode & 0o100) !== 0,
    }));
}

export interface ContextFile {
  /** Relative to the context, with slashes. */
  readonly path: string;
  readonly content: Uint8Array;
  readonly executable: boolean;
}

export interface HashedContent {
  readonly texts: Readonly<Record<string, string>>;
  readonly files: readonly ContextFile[];
}

const digest = (content: string | Uint8Array): string => createHash("sha256").update(content).digest("hex");

/** SHA-256, hexadecimal, of texts and files: of their names, contents and executable bits, in any order. */
export function contentHash({ texts, files }: HashedContent): string {
  const lines = [
    ...Object.entries(texts).map(([name, text]) => ["text", name, digest(text)]),
    ...files.map(({ path, content, executable }) => [executable ? "executable" : "file", path, digest(content)]),
  ];
  return digest(
    lines
      .map((line) => JSON.stringify(line))
      .sort()
      .join("\n"),
  );
}

/** The context paths that a Dockerfile copies, once each. @throws for other forms than the shell form of COPY without wildcards */
export function copiedSources(dockerfile: string): readonly string[] {
  const instructions = dockerfile
    .split("\n")
    .filter((line) => !line.trimStart().startsWith("#"))
    .join("\n")
    .replaceAll(/\\\n/g, " ")
    .split("\n")
    .map((line) => line.trim());
  const sources = new Set<string>();
  for (const instruction of instructions) {
    const [keyword, ...words] = instruction.split(/\s+/);
    if (keyword?.toUpperCase() === "ADD")
      throw new Error(`ADD copies files that the image's hash does not cover; use COPY: ${instruction}`);
    if (keyword?.toUpperCase() !== "COPY" || words.some((word) => word.startsWith("--from="))) continue;
    const paths = words.filter((word) => !word.startsWith("--")).slice(0, -1);
    if (paths.length === 0 || paths.some((path) => /[*?[\]<$]/.test(path)))
      throw new Error(`Unsupported instruction: ${instruction}`);
    for (const path of paths) sources.add(path);
  }
  return [...sources];
}
