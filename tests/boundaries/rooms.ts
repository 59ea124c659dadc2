/** A text of paths with blanks or line breaks between them. */
const order = (text: string): readonly string[] => text.trim().split(/\s+/);

/**
 * Folders and files of each package, from the top: a file imports only from its own entry and from entries below. An entry has the files
 * of its subfolders too, unless they have their own; `.` has only the files beside package.json.
 */
export const rooms: Readonly<Record<string, readonly string[]>> = {
  engine: order(`
    apply-metadata src/main.ts src/lifecycle src/websocket src/executors src/settings src/subscriptions src/metadata-api src/http src/auth
    src/metadata-store src/exact-json.ts src/metrics.ts src/executor.ts src/engine.ts
    src/execution src/execution/mutations src/execution/live src/execution/plan src/execution/document src/execution/database
    src/audit-variables.ts src/schema src/interface.ts src/postgres src/notices src/sql src/model.ts src/cost src/cancellation.ts
    src/errors.ts src/node-http.ts src/testing`),
  infra: order(`
    index.ts prepare-release.ts pack.ts rendering program.ts routeql stack-warnings.ts components targets services tls resource-names.ts
    deployed-before.ts release.ts build-number.ts images.ts monitoring description
    settings/reference settings/reading settings settings/declared settings/values inputs.ts pins testing`),
  "auth-sidecar": order(`
    src/main.ts src/administration src/sidecar.ts src/application.ts src/endpoints src/ldap src/tokens src/http src/logging.ts src/keys
    src/credentials src/audit src/passwords src/throttle src/sessions src/bounded-queue.ts src/revocations.ts src/settings.ts src/metrics.ts
    src/setting-types.ts src/users.ts src/database.ts src/batch.ts src/errors.ts`),
  cli: order(`
    main.ts commands report stack database open-place.ts kubernetes docker addresses ownership configuration place status access pulumi
    docker/daemon saved-state logs offline.ts foundation bootstrap.mjs bootstrap`),
  "hasura-checks": order(`
    build.ts bin src/main.ts src/verbs src/reports src/rules src/diff src/permissions src/permissions/writes src/permissions/decide
    src/permissions/report src/permissions/observe src/configuration.ts src/metadata src/declared src/findings src/cli src/version.ts src/testing`),
  offline: order("interface.ts docker-daemon pulumi-cli base-images plugins node"),
  routing: order("commands service batches sources judging rpki formats testing"),
  database: order("fill reference.ts migrate prune partitions"),
  nginx: order("rendering metrics testing"),
  console: order("src vite.config.ts"),
  "packages/host": order("docker kubernetes ."),
  "packages/contract": order("connection . testing"),
  "packages/metadata": order("catalog . read nearest.ts testing"),
  "packages/database-access": order("."),
  "packages/tracing": order(". testing"),
  "packages/sidecar-settings": order("."),
  "packages/pins": order("."),
  bench: order("main.ts stack engine auth feed positions . measure"),
  tests: order(`
    verify runner documents machines official-images kubernetes local updates year operate pulumi clients secrets main-faults faults hostile
    e2e checker permissions differential engine conformance artemis database auth-sidecar gateway boundaries kubernetes-node
    harness/stack harness/containers harness/docker harness/run harness/figures harness`),
};

/** The entry of a file; undefined if the package has no list or the list no entry for it. @param path from the package's folder */
export const roomOf = (folder: string, path: string): string | undefined =>
  rooms[folder]
    ?.filter((entry) => (entry === "." ? !path.includes("/") : path === entry || path.startsWith(`${entry}/`)))
    .toSorted((one, other) => other.length - one.length)[0];

/** Whether an import runs up inside of its package. @param from and to: paths from the package's folder */
export function runsUp(folder: string, from: string, to: string): boolean {
  const [own, other] = [roomOf(folder, from), roomOf(folder, to)];
  if (own === undefined || other === undefined) return false;
  const list = rooms[folder]!;
  return list.indexOf(other) < list.indexOf(own);
}
