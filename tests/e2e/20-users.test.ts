import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { administer, done, rows } from "./support/stack/administer.ts";
import { database } from "./support/stack/database.ts";
import { data } from "./support/clients/graphql.ts";
import { headerOf, session, singleStep, tokenOfSession } from "./support/clients/sessions.ts";
import { stack } from "./support/stack/stack.ts";

const mark = randomBytes(5).toString("hex");
const email = `users-${mark}@example.net`;
const password = randomBytes(18).toString("base64url");

describe("npm run users", () => {
  beforeAll(async () => {
    const [added] = await rows(["users", "add", email, "--role", "viewer", "--name", "Vi Ewer"], `${password}\n`);
    expect(added).toMatchObject({
      email,
      name: "Vi Ewer",
      role: "viewer",
      provider: "local",
      disabled: false,
      lastLogin: null,
    });
  });

  afterAll(async () => {
    await (await database("owner")).query("delete from auth.users where email like $1", [`%${mark}@example.net`]);
  });

  test("an account that was added logs in over TLS by both flows and queries with its role", async () => {
    const user = await session({ email, password });
    expect(user).toMatchObject({ email, name: "Vi Ewer", role: "viewer" });
    const token = await tokenOfSession(user.sessionId);
    expect(await data("{ __typename }", { token })).toEqual({ __typename: "query_root" });
    expect((await singleStep({ email, password })).status).toBe(200);
    expect(await done(["users", "list"])).toMatch(new RegExp(`local +${email} +Vi Ewer +viewer`));
  });
});

describe("npm run keys", () => {
  const keys = () => rows(["keys", "list"]);
  const inState = async (state: string) => (await keys()).filter((key) => key["state"] === state);

  const title = "during a rotation the old key still signs, and a second rotation is rejected";
  test(title, { timeout: 200_000 }, async () => {
    // An earlier run on the same stack may have left a rotation in progress.
    await expect.poll(() => inState("next"), { timeout: 150_000, interval: 5000 }).toEqual([]);
    const [signing] = await inState("signing");
    const { sessionId } = await session({ email: stack.adminEmail, password: stack.adminPassword });
    expect(headerOf(await tokenOfSession(sessionId))["kid"]).toBe(signing?.["id"]);

    const [, next] = /^key (\S+) is published and signs from \S+Z\n$/.exec(await done(["keys", "rotate"])) ?? [];
    expect(await inState("next")).toEqual([expect.objectContaining({ id: next })]);
    const token = await tokenOfSession(sessionId);
    expect(headerOf(token)["kid"]).toBe(signing?.["id"]);
    expect(await data("{ __typename }", { token })).toEqual({ __typename: "query_root" });
    expect(await administer(["keys", "rotate"])).toMatchObject({ code: 1, stdout: "" });
  });
});
