import { getNamedType, type GraphQLSchema, isObjectType, isScalarType } from "graphql";
import { canonical, schemaDifferences, schemaOf } from "./compare.ts";
import { Generator, type Samples } from "./generator.ts";
import { type Ask, differOnlyInOrder, explained } from "./explain.ts";
import { knownFacts } from "./known.ts";
import { type Call, type Pair, post, type Server, startPair, subscribe } from "./pair.ts";
import { Random } from "./random.ts";
import { Twins } from "./twins.ts";
import { type World, worldNamed } from "./worlds.ts";

export interface Difference {
  readonly world: string;
  readonly call: Call;
  readonly hasura: string;
  readonly embedded: string;
}

export interface Tally {
  equal: number;
  /** Equal answers without an error. */
  withData: number;
  /** Equal changes of the database. */
  changed: number;
  /** Equal except for the order of rows, which the request leaves open. */
  reordered: number;
  readonly explained: Map<string, number>;
  readonly unexplained: Difference[];
  readonly schemas: string[];
}

const hostile: readonly string[] = [
  ..."1 2 org-1 ' \" {} {t0} {t1,t0} {1,2} null -1 1e5 $1 { x-hasura-role true NaN \\ %".split(" "),
  "",
  " 1 ",
  "9".repeat(40),
  "'; drop table author; --",
];

/** Roles of the metadata, with a role that it lacks. */
function rolesOf(metadata: unknown): readonly string[] {
  const roles = JSON.stringify(metadata).matchAll(/"role(?:_name)?":"([^"]+)"/g);
  return ["admin", ...new Set([...roles].map(([, role]) => role ?? "")), "unknown"];
}

/** A value that rows of the worlds have. */
function usual(random: Random, variable: string): string {
  if (variable.endsWith("s")) return "{t0,t1}";
  if (variable.endsWith("tenant")) return `t${random.below(2)}`;
  return variable.includes("org") ? `org-${1 + random.below(2)}` : String(1 + random.below(5));
}

function sessionOf(
  random: Random,
  role: string,
  variables: readonly string[],
  writes: boolean,
): Readonly<Record<string, string>> {
  const given = variables.filter(() => random.chance(writes ? 98 : 92));
  const value = (name: string) => (writes && random.chance(90) ? usual(random, name) : random.one(hostile));
  return { "x-hasura-role": role, ...Object.fromEntries(given.map((name) => [name, value(name)])) };
}

/** Values of each scalar type in the answers to a query of every table. */
export async function samplesOf(server: Server, schema: GraphQLSchema): Promise<Samples> {
  const samples = new Map<string, unknown[]>();
  for (const field of Object.values(schema.getQueryType()?.getFields() ?? {})) {
    const type = getNamedType(field.type);
    if (!isObjectType(type) || !field.args.some(({ name }) => name === "limit")) continue;
    const columns = Object.values(type.getFields()).filter((column) => isScalarType(getNamedType(column.type)));
    const query = `{ rows: ${field.name}(limit: 12) { ${columns.map(({ name }) => name).join(" ")} } }`;
    const { body } = await post(server, { session: { "x-hasura-role": "admin" }, query });
    const { data } = JSON.parse(body) as { data?: { rows: readonly Record<string, unknown>[] } };
    // A function may need arguments, or return one row.
    if (!Array.isArray(data?.rows) || data.rows.length === 0) continue;
    for (const column of columns) {
      const values = data.rows.flatMap((row) => row[column.name] ?? []);
      const name = getNamedType(column.type).name;
      samples.set(name, [...(samples.get(name) ?? []), ...values]);
      samples.set(`${type.name}.${column.name}`, values);
    }
  }
  return samples;
}

export const emptyTally = (): Tally => ({
  equal: 0,
  withData: 0,
  changed: 0,
  reordered: 0,
  explained: new Map(),
  unexplained: [],
  schemas: [],
});

export interface Plan {
  /** Mutations instead of queries. */
  readonly writes?: boolean;
  readonly requests: number;
  readonly seed: number;
}

/** A call, and whether it is a subscription. */
export interface DrawnCall extends Call {
  readonly live: boolean;
}

/** Draws the requests of a world, as every role, from the schemas of a server. */
export async function drawCalls(
  server: Server,
  { metadata }: World,
  { requests, seed, writes = false }: Plan,
): Promise<readonly DrawnCall[]> {
  const random = new Random(seed);
  const roles = rolesOf(metadata);
  const names = JSON.stringify(metadata).match(/x-hasura-[a-z0-9-]+/gi) ?? [];
  const variables = [...new Set(names.map((name) => name.toLowerCase()))];
  const samples = await samplesOf(server, await schemaOf(server, "admin"));
  const generators = new Map<string, Generator>();
  const writers: string[] = [];
  for (const role of roles) {
    const schema = await schemaOf(server, role);
    if (schema.getMutationType()) writers.push(role);
    generators.set(role, new Generator(schema, samples, random));
  }
  return Array.from({ length: requests }, () => {
    const role = random.one(writes && random.chance(98) ? writers : roles);
    const live = !writes && random.chance(2);
    const kind = writes ? "mutation" : live ? "subscription" : "query";
    const request = generators.get(role)?.request(kind) ?? { query: "" };
    const session = sessionOf(random, role, variables, writes);
    const backend = writes &&
      random.chance(12) && { "x-hasura-use-backend-only-permissions": random.one(["true", "t", "f", "no", "x"]) };
    return { session: { ...session, ...backend }, ...request, live };
  });
}

/** Compares each of the worlds by its name. @param skip called with true and the reason without Hasura's image */
export async function compareWorlds(
  names: readonly string[],
  plan: Plan,
  skip: Parameters<typeof startPair>[0],
): Promise<Tally> {
  const tally = emptyTally();
  await using pair = await startPair(skip);
  for (const name of names)
    await worldNamed(name)(pair, async (world) => {
      const before = tally.unexplained.length;
      await compareWorld(pair, world, plan, tally);
      console.log(`${world.name}: ${tally.unexplained.length - before} unexplained`);
    });
  return tally;
}

/** Compares the schemas of all roles, then the answers to random requests. */
export async function compareWorld(pair: Pair, world: World, plan: Plan, tally: Tally): Promise<void> {
  await using twins = plan.writes === true ? await Twins.open(pair, world) : undefined;
  if (twins === undefined) await pair.apply(world.metadata);
  const schemas = new Map<string, GraphQLSchema>();
  for (const role of rolesOf(world.metadata)) {
    const schema = await schemaOf(pair.hasura, role);
    schemas.set(role, schema);
    const differences = schemaDifferences(schema, await schemaOf(pair.embedded, role));
    const open = differences.filter((line) => !knownFacts.some(([fact]) => fact.test(line)));
    tally.schemas.push(...open.map((line) => `${world.name}, ${role}: ${line}`));
  }
  const calls = [...(await drawCalls(pair.hasura, world, plan))];
  const ask: Ask = (side, { live, ...call }) =>
    twins?.ask(side, call) ?? (live === true ? subscribe : post)(pair[side], call);
  await Promise.all(
    Array.from({ length: twins === undefined ? 4 : 1 }, async () => {
      for (let call = calls.pop(); call !== undefined; call = calls.pop()) {
        const schema = schemas.get(call.session["x-hasura-role"] ?? "");
        if (schema !== undefined) await compareCall(ask, world.name, call, schema, tally);
      }
    }),
  );
}

async function compareCall(
  ask: Ask,
  world: string,
  drawn: DrawnCall,
  schema: GraphQLSchema,
  tally: Tally,
): Promise<void> {
  const [hasura, embedded] = await Promise.all([ask("hasura", drawn), ask("embedded", drawn)]);
  const { live: _live, ...call } = drawn;
  const [one, other] = [canonical(hasura), canonical(embedded)];
  if (one === other) {
    tally.equal += 1;
    if (one.includes('{"data":{')) tally.withData += 1;
    if (hasura.changes !== undefined) tally.changed += 1;
    return;
  }
  if (differOnlyInOrder(hasura, embedded)) {
    tally.reordered += 1;
    return;
  }
  const reason = await explained({ ask, call: drawn, schema }, [hasura, embedded]);
  if (reason === undefined) tally.unexplained.push({ world, call, hasura: one, embedded: other });
  else tally.explained.set(reason, (tally.explained.get(reason) ?? 0) + 1);
}
