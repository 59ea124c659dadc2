/** The one list of images and programs of other projects. Settings, manifests, documents, tests and Renovate take them from here. */
export interface Pin {
  readonly image: string;
  readonly released: string;
  readonly supportedUntil: string;
  /** Page that the dates come from. */
  readonly source: string;
  readonly reviewed: string;
}

export const pins = {
  hasura: {
    image: "hasura/graphql-engine:v2.50.10",
    released: "2026-11-19",
    supportedUntil: "2028-12-31",
    // The LTS line with the longest support; newest patch.
    source: "https://hasura.io/docs/2.0/policies/versioning/",
    reviewed: "2026-11-22",
  },
  postgres: {
    image: "postgres:17.12",
    released: "2026-11-12",
    supportedUntil: "2029-11-08",
    // The major version that migrations and backups are tested with; newest patch.
    source: "https://www.postgresql.org/support/versioning/",
    reviewed: "2026-11-22",
  },
  postgresCluster: {
    image: "ghcr.io/cloudnative-pg/postgresql:17.12-standard-trixie",
    released: "2026-11-16",
    supportedUntil: "2029-11-08",
    // CloudNativePG's image of the same Postgres; rebuilt each week.
    source: "https://github.com/cloudnative-pg/postgres-containers",
    reviewed: "2026-11-22",
  },
  valkey: {
    image: "valkey/valkey:8.1.11",
    released: "2026-10-26",
    supportedUntil: "2028-03-31",
    // The same major version as Debian trixie; newest patch of its last line.
    source: "https://valkey.io/download/8.1/",
    reviewed: "2026-11-22",
  },
  nginx: {
    image: "nginx:1.30.7",
    released: "2026-11-18",
    supportedUntil: "2027-04-30",
    // The stable line; 1.28 ended with 1.28.3.
    source: "https://nginx.org/en/security_advisories.html",
    reviewed: "2026-11-22",
  },
  debian: {
    image: "debian:trixie-slim",
    released: "2025-08-09",
    supportedUntil: "2028-08-09",
    // Base of the images built here. Each build installs the current packages.
    source: "https://www.debian.org/releases/trixie/",
    reviewed: "2026-11-22",
  },
  node: {
    image: "node:24.22.1-trixie-slim",
    released: "2026-10-21",
    supportedUntil: "2028-04-30",
    // The LTS line that runs TypeScript without a build step; newest patch.
    source: "https://github.com/nodejs/release#release-schedule",
    reviewed: "2026-11-22",
  },
} as const satisfies Record<string, Pin>;

/** A program of another project that the kit or its test suites run outside of images. */
export interface ProgramPin {
  readonly program: string;
  readonly version: string;
  readonly released: string;
  /** Day on which the line of releases stops to get fixes; undefined if the project publishes none. */
  readonly supportedUntil: string | undefined;
  /** Page that the dates come from. */
  readonly source: string;
  readonly reviewed: string;
  /** SHA-256 of the archive by platform, in Node's names, for a program that comes as an archive. */
  readonly sha256?: Readonly<Record<string, string>>;
}

export const programs = {
  pulumi: {
    program: "Pulumi CLI",
    version: "3.270.0",
    released: "2026-10-16",
    supportedUntil: undefined,
    // The version of the npm package @pulumi/pulumi, which starts it.
    source: "https://www.pulumi.com/docs/iac/download-install/versions/",
    reviewed: "2026-11-22",
  },
  pulumiArchive: {
    program: "Pulumi CLI, release archive",
    version: "3.259.0",
    released: "2026-08-19",
    supportedUntil: undefined,
    // Hashes from Pulumi's Homebrew formula, another site than that of the archives. `npm run pins -- --raise` moves the pin.
    source: "https://raw.githubusercontent.com/pulumi/homebrew-tap/master/Formula/pulumi.rb",
    reviewed: "2026-11-29",
    sha256: {
      "linux-x64": "94ba357acac23d01474084c4b00098dc0f7bc70ce13f34c777459254a5f718e5",
      "linux-arm64": "edc8327463a72160bb36cf82cf5062da9c8a244290a706d9980988e7bf486853",
    },
  },
  pulumiFromSource: {
    program: "Pulumi CLI, built here",
    version: "3.256.0",
    released: "2026-08-06",
    supportedUntil: undefined,
    // Built from Go modules, whose hashes are in go.sum, if PATH has no CLI and the release archive cannot be used.
    source: "https://www.pulumi.com/docs/iac/download-install/versions/",
    reviewed: "2026-11-22",
  },
  kubernetes: {
    program: "Kubernetes (node of the test suite)",
    version: "1.34.10",
    released: "2026-07-14",
    supportedUntil: "2026-10-27",
    // The version that the suite was last run with. Move the suite to 1.36.
    source: "https://kubernetes.io/releases/1.34/",
    reviewed: "2026-11-22",
  },
  cloudNativePg: {
    program: "CloudNativePG operator (definitions of the test suite)",
    version: "1.30.1",
    released: "2026-09-23",
    // Three months after the release of 1.31, which is not published yet.
    supportedUntil: undefined,
    // Newest patch; the suite checks the manifests against its definitions.
    source: "https://cloudnative-pg.io/docs/current/supported_releases",
    reviewed: "2026-11-22",
  },
} as const satisfies Record<string, ProgramPin>;
