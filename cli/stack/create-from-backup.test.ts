import { expect, test } from "vitest";
import { Failure } from "@routeql/host/failure";
import { resumable } from "./create-from-backup.ts";

test.each([
  ["correct the settings.", "correct the settings."],
  ["fix the cause and run this command again: it resumes.", "fix the cause."],
  [undefined, "fix the cause."],
])("a failed start after the remedy %s names the commands that resume the restore", (remedy, first) => {
  const failure = resumable(new Failure("failed", remedy === undefined ? {} : { remedy }), "site", "/b/routeql.tar");
  expect(failure).toMatchObject({
    message: "failed",
    remedy:
      `${first} The files of the backup are written. Then run: ` +
      "npm run up -- --stack site --adopt && npm run restore -- --stack site '/b/routeql.tar'",
  });
});

test("other errors stay", () => {
  const error = new Error("fault");
  expect(resumable(error, "site", "/b/routeql.tar")).toBe(error);
});
