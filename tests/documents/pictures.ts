/**
 * Pictures of the architecture as Mermaid graphs, from the declarations: package.json files, the table of products, and the calls of the
 * services.
 */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describeServices } from "@routeql/infra/services/all";
import { callEdges, outsideEdges, type ServiceDescription } from "@routeql/infra/description/service";
import { withDefaults } from "@routeql/infra/settings/reading/complete";
import { type Package, readPackages } from "../boundaries/packages.ts";
import { repository } from "../harness/repository.ts";
import { productOf, products } from "../boundaries/products.ts";

type Edge = readonly [string, string];

/** The edges without those that a longer path implies. */
function shortest(edges: readonly Edge[]): readonly Edge[] {
  const reaches = (from: string, to: string): boolean =>
    edges.some(([start, end]) => start === from && (end === to || reaches(end, to)));
  return edges.filter(([from, to]) => !edges.some(([start, end]) => start === from && end !== to && reaches(end, to)));
}

const graph = (lines: readonly string[]): string => ["```mermaid", "graph TD", ...lines, "```"].join("\n");

/** Mermaid ids have no slashes. */
const idOf = (folder: string): string => folder.replaceAll("/", "-");

/** Packages in their products, with an arrow to each package that one depends on; what other arrows imply is left out. */
export function packageGraph(packages: readonly Package[] = readPackages()): string {
  const edges = packages.flatMap(({ folder, dependencies, devDependencies, published }): Edge[] =>
    packages
      .filter(({ name }) => dependencies.has(name) || (published && devDependencies.has(name)))
      .map((other) => [folder, other.folder]),
  );
  const boxes = products.toReversed().flatMap((product) => {
    const folders = packages.map(({ folder }) => folder).filter((folder) => productOf(folder) === product);
    return [
      `  subgraph product-${idOf(product.folders[0]!)} [${product.name}]`,
      ...folders.map((folder) => `    ${idOf(folder)}[${folder}]`),
      "  end",
    ];
  });
  return graph([...boxes, ...shortest(edges).map(([from, to]) => `  ${idOf(from)} --> ${idOf(to)}`)]);
}

/** Services and jobs of the default settings with a directory. */
export const describedServices = (): readonly ServiceDescription[] =>
  describeServices(withDefaults({ ldapUrl: "ldaps://directory.example.net" }, "local"), {
    stack: "local",
    hostOf: (name) => name,
    certificate: "",
  });

/** Services and jobs of the default settings with their calls. External services are round, jobs have two bars. */
export function serviceGraph(): string {
  const services = describedServices();
  const edges: readonly Edge[] = callEdges(services);
  const outside: readonly Edge[] = outsideEdges(services);
  return graph([
    ...services.map(({ name, run }) => (run === "job" ? `  ${name}[[${name}]]` : `  ${name}`)),
    ...services.filter(({ ports }) => ports.length > 0).map(({ name }) => `  client((client)) --> ${name}`),
    ...edges.map(([from, to]) => `  ${from} --> ${to}`),
    ...outside.map(([from, to]) => `  ${from} -.-> ${to}((${to}))`),
  ]);
}

/** A page with new content between its marks `<!-- name -->` and `<!-- /name -->`. @throws Error without the marks */
export function withSection(path: string, name: string, content: string): string {
  const page = readFileSync(resolve(repository, path), "utf8");
  const marked = new RegExp(`(<!-- ${name} -->\n)[^]*?(\n<!-- /${name} -->)`);
  if (!marked.test(page))
    throw new Error(`${path} has no section ${name}: add <!-- ${name} --> and <!-- /${name} -->.`);
  return page.replace(marked, (_, start: string, end: string) => `${start}${content}${end}`);
}
