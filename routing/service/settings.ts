/** Every setting of the feed: an environment variable `NAME`, or `NAME_FILE` with the path of a file that contains the value. */
import { type Environment, readVariable, withoutEmpty } from "@routeql/contract/environment";
import { z } from "zod";

const list = (item: RegExp, what: string) =>
  z
    .string()
    .default("")
    .transform((value) =>
      value
        .split(",")
        .map((each) => each.trim())
        .filter((each) => each !== ""),
    )
    .refine((values) => values.every((value) => item.test(value)), `must be ${what}, separated by commas`);

const isPort = (port: number): boolean => port >= 1 && port <= 65_535;

const wholeNumber = (least: number, most: number, byDefault: number) =>
  z.coerce.number().int().min(least).max(most).default(byDefault);

const schema = z
  .object({
    DATABASE_URL: z.string().describe("Postgres, as the role routeql_feed."),
    FEED_SOURCES: list(/^(?:ris-live|exabgp)$/, "ris-live or exabgp").describe("Sources that the feed reads."),
    RIS_LIVE_URL: z
      .url({ protocol: /^wss?$/, error: "must be an address wss://…" })
      .default("wss://ris-live.ripe.net/v1/ws/?client=routeql")
      .describe("Address of RIPE RIS Live."),
    RIS_LIVE_COLLECTORS: list(/^rrc\d\d$/, "names such as rrc00").describe("Collectors of RIPE RIS. Default: all."),
    RIS_LIVE_PREFIXES: z
      .enum(["configured", "all"])
      .default("configured")
      .describe("The configured prefixes with their more specific ones, or every update of RIPE RIS."),
    EXABGP_ADDRESS: z
      .string()
      .regex(/^.+:\d{1,5}$/, "must be <host>:<port>")
      .refine((address) => isPort(Number(address.replace(/^.*:/, ""))), "must have a port from 1 to 65535")
      .transform((address) => {
        const [, host = "", port] = /^\[?(.+?)\]?:(\d+)$/.exec(address) ?? [];
        return { host, port: Number(port) };
      })
      .optional()
      .describe("Where a process of exabgp offers its lines."),
    EXABGP_COLLECTOR: z
      .string()
      .regex(/^[a-z0-9-]{1,32}$/, "must be lower-case letters, digits and hyphens")
      .default("own")
      .describe("Name of the router or machine; the updates' service is exabgp|NAME."),
    BUFFER_MIB: wholeNumber(1, 1024, 48).describe("Memory for updates while the database is away."),
    VRPS_ADDRESS: z
      .url({ protocol: /^https?$/, error: "must be an address https://…" })
      .optional()
      .describe("JSON of an RPKI validator (Routinator, rpki-client), for rpki_status. Default: none."),
    VRPS_MINUTES: wholeNumber(5, 1440, 60).describe("Minutes between two downloads of it."),
    CONFIGURATION_FILE: z.string().optional().describe("Configuration for detection, followed while the process runs."),
    METRICS_PORT: wholeNumber(0, 65_535, 9090).describe("Port of /metrics and /healthz."),
    LOG_LEVEL: z
      .enum(["fatal", "error", "warn", "info", "debug", "trace", "silent"])
      .default("info")
      .describe("Minimum log level."),
  })
  .refine(({ FEED_SOURCES: sources }) => sources.length > 0, { path: ["FEED_SOURCES"], error: "names no source" })
  .refine(
    ({ FEED_SOURCES: sources, EXABGP_ADDRESS: address }) => address !== undefined || !sources.includes("exabgp"),
    { path: ["EXABGP_ADDRESS"], error: "is missing" },
  );

export type FeedSettings = Readonly<z.output<typeof schema>>;

/** All problems of the settings, one line each. Never contains a value. */
export class SettingsError extends Error {
  override readonly name = "SettingsError";
}

/** @throws SettingsError with all problems */
export function readSettings(environment: Environment): FeedSettings {
  const problems: string[] = [];
  const given: Record<string, string | undefined> = {};
  for (const name of Object.keys(schema.shape)) {
    const { value, problem } = readVariable(withoutEmpty(environment), name);
    if (problem !== undefined) problems.push(problem);
    given[name] = value;
  }
  const { success, data, error } = schema.safeParse(given);
  if (!success) problems.push(...error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`));
  if (data === undefined || problems.length > 0)
    throw new SettingsError(["The settings are wrong:", ...problems.map((problem) => `  ${problem}`)].join("\n"));
  return data;
}
