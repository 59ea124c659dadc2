import { describe, expect, test } from "vitest";
import { isLikeUnknown, revealedBy } from "./error-texts.ts";

const failure = (message: string, path = "$") => ({ message, path, code: "validation-failed" });

describe("an error for a refused name", () => {
  test("is that of an unknown name, also where the type has the same name", () => {
    const [own, baseline] = ["Session", "no_such_name"].map((name) =>
      failure(`field '${name}' not found in type: 'Session'`, `$.selectionSet.Session.selectionSet.${name}`),
    );
    expect(isLikeUnknown(own!, "Session", baseline)).toBe(true);
  });

  test.each([
    ["another message", failure("you may not read 'secret'")],
    ["another path", failure("field 'secret' not found in type: 'note'", "$.note.secret")],
    ["another code", { ...failure("field 'secret' not found in type: 'note'"), code: "access-denied" }],
  ])("reveals the name by %s", (_what, own) => {
    expect(isLikeUnknown(own, "secret", failure("field 'no_such_name' not found in type: 'note'"))).toBe(false);
  });
});

describe("an error for a hostile session", () => {
  const hidden = new Set(["Session", "Value", "value", "order_status", "secret", "owner_id"]);
  const session = { "x-hasura-user-id": "1; drop" };

  test.each([
    'missing session variable: "x-hasura-user-id"',
    'invalid input syntax for type uuid: "1; drop"',
    "malformed array literal: missing value for session variable",
    'invalid input value for enum order_status: "1; drop"',
  ])("reveals nothing by %s", (message) => {
    expect(revealedBy(message, hidden, session)).toBeUndefined();
  });

  test.each([
    ['column "secret" does not exist', "secret"],
    ["invalid value of note.secret", "secret"],
    ["the owner_id is not a number", "owner_id"],
    ["error in SELECT * FROM t", "the statement"],
  ])("reveals a hidden name or the statement by %s", (message, revealed) => {
    expect(revealedBy(message, hidden, session)).toBe(revealed);
  });
});
