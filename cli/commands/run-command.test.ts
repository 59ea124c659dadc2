import { Failure } from "@routeql/host/failure";
import { DatabaseError } from "pg";
import { expect, test } from "vitest";
import { explainable } from "./run-command.ts";

const errorOf = (code: string): DatabaseError => Object.assign(new DatabaseError("refused", 1, "error"), { code });

test.each(["25006", "53100", "57P03", "28P01"])(
  "names the next command for a database that refuses with %s",
  (code) => {
    const explained = explainable(errorOf(code));
    expect(explained).toBeInstanceOf(Failure);
    expect(explained).toMatchObject({
      message: "The database refuses: refused",
      remedy: expect.stringContaining("npm run status") as string,
    });
  },
);

test("leaves the error of a wrong statement, which is a fault of the program", () => {
  const error = errorOf("42601");
  expect(explainable(error)).toBe(error);
});
