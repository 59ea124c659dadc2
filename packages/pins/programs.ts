/**
 * Programs of other projects that the kit or its test suites run outside of images.
 * @module
 */

export interface ProgramPin {
  readonly program: string;
  readonly version: string;
  readonly released: string;
  /** Day on which the line of releases stops to get fixes; undefined if the project publishes none. */
  readonly supportedUntil: string | undefined;
  readonly why: string;
  /** Page that the dates come from. */
  readonly source: string;
  readonly reviewed: string;
}

export const programs = {
  pulumi: {
    program: "Pulumi CLI",
    version: "3.270.0",
    released: "2026-10-16",
    supportedUntil: undefined,
    why: "The version of the npm package @pulumi/pulumi, which starts it.",
    source: "https://www.pulumi.com/docs/iac/download-install/versions/",
    reviewed: "2026-11-22",
  },
  pulumiFromSource: {
    program: "Pulumi CLI, built here",
    version: "3.256.0",
    released: "2026-08-06",
    supportedUntil: undefined,
    why: "Built from its source if the download is unreachable.",
    source: "https://www.pulumi.com/docs/iac/download-install/versions/",
    reviewed: "2026-11-22",
  },
  kubernetes: {
    program: "Kubernetes (node of the test suite)",
    version: "1.34.10",
    released: "2026-07-14",
    supportedUntil: "2026-10-27",
    why: "The version that the suite was last run with. Move the suite to 1.36.",
    source: "https://kubernetes.io/releases/1.34/",
    reviewed: "2026-11-22",
  },
  cloudNativePg: {
    program: "CloudNativePG operator (definitions of the test suite)",
    version: "1.30.1",
    released: "2026-09-23",
    // Three months after the release of 1.31, which is not published yet.
    supportedUntil: undefined,
    why: "Newest patch; the suite checks the manifests against its definitions.",
    source: "https://cloudnative-pg.io/docs/current/supported_releases",
    reviewed: "2026-11-22",
  },
} as const satisfies Record<string, ProgramPin>;
