/** Random conditions and presets of permissions, valid or not: whether both engines accept each, and what each of them serves with it. */
import { getNamedType, type GraphQLSchema, isLeafType, isObjectType } from "graphql";
import { canonical, schemaOf } from "./compare.ts";
import type { Samples } from "./generator.ts";
import { execute } from "../harness/execute.ts";
import { type Call, createDatabase, post, type Server, startPair } from "./pair.ts";
import { Random } from "./random.ts";
import { emptyTally, type Plan, samplesOf, type Tally } from "./run.ts";
import { sampleContents, sampleRows, sampleSchema } from "./sample.ts";

/** Tables whose columns have the same names in GraphQL. */
const tables = ["author", "thing", "tag", "counter"];
const operators =
  "_eq _neq _gt _gte _lt _lte _in _nin _is_null _like _nilike _similar _iregex _contains _contained_in _has_key _has_keys_any _ancestor _matches _st_equals _ceq _cgt _cast $eq $in _ne _bogus";
const constants: readonly unknown[] = [
  ..."x 1 true book 2020-01-01 REQ_USER_ID X-Hasura-User-Id x-hasura-absent".split(" "),
  "",
  1,
  -2,
  1.5,
  1e30,
  true,
  false,
  null,
  [],
  ["x"],
  [1, null],
  ["X-Hasura-User-Id"],
  ["$", "id"],
  {},
  { a: 1 },
];

class Conditions {
  readonly #random: Random;
  readonly #schema: GraphQLSchema;
  readonly #samples: Samples;

  constructor(random: Random, schema: GraphQLSchema, samples: Samples) {
    this.#random = random;
    this.#schema = schema;
    this.#samples = samples;
  }

  fields(table: string): readonly (readonly [name: string, target: string | undefined])[] {
    const type = this.#schema.getType(table);
    if (!isObjectType(type)) throw new Error(`there is no table ${table}`);
    return (
      Object.values(type.getFields())
        // Postgres has no `=` for points, and which of two errors it reports depends on the form of the value.
        .filter(
          ({ name, args }) =>
            name !== "point" && !name.endsWith("_aggregate") && !args.some((argument) => argument.name === "args"),
        )
        .map(({ name, type: of }) => [name, isLeafType(getNamedType(of)) ? undefined : getNamedType(of).name])
    );
  }

  value(table: string, column: string): unknown {
    const fitting = this.#samples.get(`${table}.${column}`) ?? [];
    return this.#random.chance(60) && fitting.length > 0 ? this.#random.one(fitting) : this.#random.one(constants);
  }

  draw(table: string, depth: number): Readonly<Record<string, unknown>> {
    const random = this.#random;
    const below = () => this.draw(table, depth - 1);
    if (depth > 0 && random.chance(12)) return { [random.one(["_and", "_or", "$or"])]: [below(), below()] };
    if (depth > 0 && random.chance(8)) return { _not: below() };
    if (depth > 0 && random.chance(8)) {
      const other = random.one(tables);
      return { _exists: { _table: { schema: "public", name: other }, _where: this.draw(other, depth - 1) } };
    }
    const [name, target] = random.one(this.fields(table));
    if (target !== undefined)
      return { [name]: tables.includes(target) && depth > 0 ? this.draw(target, depth - 1) : {} };
    const operator = random.chance(60) ? "_eq" : random.one(operators.split(" "));
    const value = /_n?in$/.test(operator) && random.chance(80) ? [this.value(table, name)] : this.value(table, name);
    return { [name]: random.chance(15) ? value : { [operator]: value } };
  }
}

interface Reply {
  readonly inconsistent_objects?: readonly { readonly name: string }[];
}

/** Replaces the metadata and returns the names of the inconsistent objects. */
async function replace(server: Server, metadata: object): Promise<ReadonlySet<string>> {
  const args = { allow_inconsistent_metadata: true, metadata };
  const response = await fetch(`${server.address}/v1/metadata`, {
    method: "POST",
    headers: { "x-hasura-admin-secret": server.adminSecret },
    body: JSON.stringify({ type: "replace_metadata", version: 2, args }),
  });
  if (response.status !== 200) throw new Error(`the metadata is refused: ${await response.text()}`);
  return new Set(((await response.json()) as Reply).inconsistent_objects?.map(({ name }) => name));
}

const perMetadata = 50;

/** Gives as many roles as the plan has requests a condition to read one table, and a preset to change it. */
export async function compareConditions(
  { requests, seed }: Plan,
  skip: Parameters<typeof startPair>[0],
): Promise<Tally> {
  const tally = emptyTally();
  await using pair = await startPair(skip);
  const address = await createDatabase(pair.database, "sample");
  await execute(address, sampleSchema, sampleRows);
  const own = { name: "default", kind: "postgres", configuration: { connection_info: { database_url: address } } };
  const plain = sampleContents.tables.map((table) =>
    Object.fromEntries(Object.entries(table).filter(([key]) => !key.endsWith("_permissions"))),
  );
  const metadataOf = (all: readonly object[]) => ({
    version: 3,
    sources: [{ ...own, ...sampleContents, functions: [], tables: all }],
  });
  await pair.apply(metadataOf(plain));
  const schema = await schemaOf(pair.hasura, "admin");
  const random = new Random(seed);
  const conditions = new Conditions(random, schema, await samplesOf(pair.hasura, schema));
  for (let left = requests; left > 0; left -= perMetadata) {
    const table = random.one(tables);
    const columns = conditions.fields(table).flatMap(([name, target]) => (target === undefined ? [name] : []));
    const drawn = Array.from({ length: Math.min(left, perMetadata) }, (_role, index) => {
      const column = random.one(columns);
      const set = { [column]: conditions.value(table, column) };
      return { role: `r${index}`, filter: conditions.draw(table, 3), set };
    });
    const permissions = {
      select_permissions: drawn.map(({ role, filter }) => ({ role, permission: { columns: "*", filter } })),
      update_permissions: drawn.map(({ role, set }) => ({ role, permission: { columns: [], filter: {}, set } })),
    };
    const isDrawn = (each: object) => "table" in each && (each.table as { readonly name: string }).name === table;
    const metadata = metadataOf(plain.map((each) => (isDrawn(each) ? { ...each, ...permissions } : each)));
    const [refused, other] = [await replace(pair.hasura, metadata), await replace(pair.embedded, metadata)];
    for (const { role, filter, set } of drawn) {
      const session = { "x-hasura-role": role, "x-hasura-user-id": "1" };
      const call: Call = {
        session,
        query: `{ ${table}(order_by: {${columns[0] ?? ""}: asc}) { ${columns[0] ?? ""} } }`,
      };
      const answerOf = async (server: Server, inconsistent: ReadonlySet<string>) => {
        const isRefused = (kind: string) =>
          inconsistent.has(`${kind}_permission ${role} in table ${table} in source default`);
        const answer = isRefused("select") ? "inconsistent" : canonical(await post(server, call));
        return `${answer}${isRefused("update") ? ", and so is the preset" : ""}`;
      };
      const [hasura, embedded] = [await answerOf(pair.hasura, refused), await answerOf(pair.embedded, other)];
      const difference = { world: "conditions", call: { ...call, variables: { filter, set } }, hasura, embedded };
      if (hasura !== embedded) tally.unexplained.push(difference);
      else {
        tally.equal += 1;
        if (hasura.includes('{"data":{')) tally.withData += 1;
      }
    }
  }
  return tally;
}
