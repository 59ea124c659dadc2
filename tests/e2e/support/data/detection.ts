import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stringify } from "yaml";
import { command } from "../commands.ts";
import { database } from "../stack/database.ts";

export const northOrganisation = "e2e-north";
export const southOrganisation = "e2e-south";
const incidentOrganisation = "e2e-incident";

/** Prefixes that the two organisations of the small world may announce. */
export const northPrefix = "198.18.0.0/24";
export const northPrefix6 = "2001:2:0:100::/64";
export const southPrefix = "198.18.1.0/24";

export interface ConfiguredPrefix {
  readonly prefix: string;
  readonly origins: readonly number[];
  readonly organisation: string;
}

/** The prefixes of the 2026 incident with the autonomous systems that announced them before and after it. */
const incident: readonly (readonly [string, ...number[]])[] = [
  ["149.154.160.0/20", 62_041],
  ["149.154.160.0/22", 62_041],
  ["149.154.164.0/22", 62_041],
  ["149.154.168.0/22", 62_014],
  ["91.108.4.0/22", 62_041],
  ["91.108.8.0/22", 62_041],
  ["91.108.16.0/22", 62_014],
  ["91.108.56.0/22", 62_041, 62_014],
  ["91.105.192.0/23", 211_157],
  ["95.161.64.0/20", 62_041],
  ["185.76.151.0/24", 211_157],
  ["2001:67c:4e8::/48", 62_041],
  ["2001:b28:f23c::/48", 44_907],
  ["2001:b28:f23d::/48", 59_930],
  ["2001:b28:f23f::/48", 62_014],
  ["2a0a:f280::/32", 211_157],
];

/** Prefixes of 2016 with two origins; the second one's announcements count as hijacks. */
const contestedIn2016: readonly (readonly [string, number])[] = [
  ...[148, 152, 158, 159, 167, 173, 177, 179].map((third) => [`202.134.${third}.0/24`, 18_196] as const),
  ...[68, 69, 70, 71].map((third) => [`43.248.${third}.0/24`, 18_196] as const),
  ["84.32.140.0/22", 49_550],
  ["88.216.170.0/23", 49_550],
];

const demo: readonly (readonly [string, ...number[]])[] = [
  ["192.0.2.0/24", 64_500],
  ["203.0.113.0/24", 64_502, 64_503],
];

const byOrganisation: Readonly<Record<string, readonly (readonly [string, ...number[]])[]>> = {
  [northOrganisation]: [
    [northPrefix, 64_496],
    [northPrefix6, 64_496],
  ],
  [southOrganisation]: [[southPrefix, 64_497]],
  [incidentOrganisation]: incident,
  "e2e-others": [...contestedIn2016, ...demo],
};

const configured: readonly ConfiguredPrefix[] = Object.entries(byOrganisation).flatMap(([organisation, prefixes]) =>
  prefixes.map(([prefix, ...origins]) => ({ prefix, origins, organisation })),
);

/** Whether detection has run with the suite's list since the last load of relevant data. */
export async function isDetected(): Promise<boolean> {
  const owner = await database("owner");
  const { rows } = await owner.query<{ detected: boolean }>(
    `select (select count(*) from routing.configured_prefixes where prefix = any ($1::inet[])) = $2
       and not exists (
         select from routing.bgp_updates u join routing.configured_prefixes c on u.prefix <<= c.prefix where not u.handled
       ) as detected`,
    [configured.map(({ prefix }) => prefix), configured.length],
  );
  return rows[0]?.detected === true;
}

/** Runs `npm run detect` with one list of prefixes for all suites, so that no suite reverts another's results. Returns its output. */
export async function detectAll(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "routeql-e2e-"));
  try {
    const file = join(folder, "prefixes.yaml");
    await writeFile(file, stringify({ prefixes: configured }));
    return await command("detect", file);
  } finally {
    await rm(folder, { recursive: true });
  }
}
