/**
 * The context paths that a Dockerfile copies (COPY without `--from`), in order, each once. Supports only the forms in the project's
 * Dockerfiles: the shell form of COPY, without wildcards and heredocs.
 * @throws on an instruction that copies in another way: ADD, a wildcard, the JSON form.
 */
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
