import { randomBytes } from "node:crypto";
import { hijackFields, updateFields } from "../../e2e/support/data/fields.ts";
import { Member } from "../../e2e/support/clients/accounts.ts";
import { northPrefix, northPrefix6, southPrefix } from "../../e2e/support/data/detection.ts";
import { data, headersOf, master, type Caller } from "../../e2e/support/clients/graphql.ts";
import { organisations } from "../../e2e/support/data/small-world.ts";
import type { Question } from "./ask.ts";

/** A client with known correct replies: each call returns another question of its repertoire with a unique mark. */
export type Asker = { readonly name: string; readonly next: () => Question };

interface Viewpoint {
  readonly name: string;
  readonly caller: Caller;
  readonly columns: string;
}

const updates = (hidden: readonly string[]): string =>
  updateFields.filter((field) => !hidden.includes(field)).join(" ");

/** A viewer, an analyst, two tenants of two organisations and the owner of the master key. */
export async function viewpoints(): Promise<Viewpoint[]> {
  const of = async (
    name: string,
    role: "viewer" | "analyst" | "tenant" | "operator",
    organisation?: string,
  ): Promise<Viewpoint> => {
    const member = await Member.join(role, organisation === undefined ? {} : { organisation });
    return {
      name,
      caller: { token: await member.freshToken() },
      columns: updates(role === "viewer" ? ["communities", "orig_path"] : []),
    };
  };
  return [
    await of("viewer", "viewer"),
    await of("analyst", "analyst"),
    await of("tenant of the north", "tenant", organisations.north),
    await of("tenant of the south", "tenant", organisations.south),
    await of("operator", "operator"),
    { name: "master key", caller: master, columns: updates([]) },
  ];
}

const order = "order_by: [{timestamp: desc}, {peer_asn: asc}, {as_path: asc}, {prefix: asc}]";

/**
 * Clients that recorded the answers to their questions before any fault. The answers differ by role, organisation and variables. Each
 * request renames its answer with a unique mark, so that an answer to another request cannot count as correct.
 */
export async function learnedAskers(points: readonly Viewpoint[]): Promise<Asker[]> {
  return Promise.all(points.map((point, index) => learn(point, index)));
}

async function learn({ name, caller, columns }: Viewpoint, index: number): Promise<Asker> {
  const repertoire = [northPrefix, northPrefix6, southPrefix].map((prefix) => ({
    variables: { prefix, limit: 5 + index },
    text: (mark: string) =>
      `query ($prefix: inet!, $limit: Int!) { ${mark}: view_bgpupdates(where: {prefix: {_eq: $prefix}}, limit: $limit, ${order}) { ${columns} } }`,
  }));
  const hijacks = {
    variables: { limit: 3 + index },
    text: (mark: string) =>
      `query ($limit: Int!) { ${mark}: view_hijacks(where: {hijack_as: {_eq: 64511}}, limit: $limit, order_by: {key: asc}) { ${hijackFields.filter((field) => name !== "viewer" || !["comment", "community_annotation"].includes(field)).join(" ")} } }`,
  };
  const learned = await Promise.all(
    [...repertoire, hijacks].map(async (question) => {
      const answer = await data<{ learned: unknown[] }>(question.text("learned"), caller, question.variables);
      return { ...question, rows: JSON.stringify(answer.learned) };
    }),
  );
  let turn = index;
  return {
    name,
    next: () => {
      turn += 1;
      const { text, variables, rows } = learned[turn % learned.length] as (typeof learned)[number];
      const mark = `answer_${randomBytes(6).toString("hex")}`;
      const expected = `{"data":{"${mark}":${rows}}}`;
      return {
        path: "/api/graphql",
        headers: headersOf(caller),
        body: { query: text(mark), variables },
        isRight: (body) => JSON.stringify(body) === expected || `not what ${name} was answered in calm`,
      };
    },
  };
}
