/** One product of the repository: its folders, and the products that its files may import. */
export interface Product {
  readonly name: string;
  readonly folders: readonly string[];
  readonly mayImport: readonly Product[];
  /** The only module that other products may import; by default every module of `exports`. Proof may import all. */
  readonly interface?: string;
}

const libraries: Product = {
  name: "libraries",
  folders: [
    "packages/contract",
    "packages/database-access",
    "packages/metadata",
    "packages/host",
    "packages/pins",
    "packages/tracing",
    "packages/sidecar-settings",
  ],
  mayImport: [],
};
const engine: Product = { name: "embedded engine", folders: ["engine"], mayImport: [libraries] };
const checker: Product = { name: "checker", folders: ["hasura-checks"], mayImport: [libraries, engine] };
const offline: Product = {
  name: "offline",
  folders: ["offline"],
  mayImport: [libraries],
  interface: "@routeql/offline",
};
const routing: Product = { name: "routing data", folders: ["routing"], mayImport: [libraries] };
const kit: Product = {
  name: "kit",
  folders: ["infra", "cli", "auth-sidecar", "database", "nginx", "console", "images", "hasura-metadata"],
  mayImport: [libraries, engine, checker, routing, offline],
};
const below = [libraries, engine, checker, routing, offline, kit];

/** Tests, benchmarks and documents may import everything, and nothing imports them. */
export const proof: Product = { name: "proof", folders: ["tests", "bench", "docs"], mayImport: below };

/** All products, lowest first. */
export const products: readonly Product[] = [...below, proof];

/** The product of a path in the repository; undefined for files of the top folder. */
export const productOf = (path: string): Product | undefined =>
  products.find(({ folders }) => folders.some((folder) => path === folder || path.startsWith(`${folder}/`)));
