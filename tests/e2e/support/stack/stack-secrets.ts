import { run } from "../../../harness/process.ts";

/** A secret with a printable name. */
export type NamedSecret = readonly [name: string, value: string];

/** Contents of a container's folders of secrets and keys, and the passwords inside URLs among them. */
export async function secretsOfContainer(container: string, service: string): Promise<NamedSecret[]> {
  const found: NamedSecret[] = [];
  for (const folder of ["secrets", "tls"]) {
    const script = `set -o pipefail; docker cp "${container}:/run/routeql/${folder}" - | tar --extract --to-command='echo "=== $TAR_FILENAME"; cat; echo'`;
    const { code, stdout } = await run("bash", ["-c", script]);
    if (code !== 0) continue;
    for (const part of stdout.split("=== ").slice(1)) {
      const [name, ...lines] = part.split("\n") as [string, ...string[]];
      found.push(...pieces(`${service}: ${name}`, lines.join("\n").trim()));
    }
  }
  return found;
}

function pieces(name: string, content: string): NamedSecret[] {
  if (content.includes("BEGIN CERTIFICATE")) return [];
  if (content.includes("PRIVATE KEY")) return [[name, (content.split("\n")[1] as string).trim()]];
  const password = URL.canParse(content) ? decodeURIComponent(new URL(content).password) : "";
  return password === ""
    ? [[name, content]]
    : [
        [name, content],
        [`${name}, its password`, password],
      ];
}
