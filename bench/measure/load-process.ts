/**
 * The load generator as a separate process: it receives tasks as messages and answers each with the result.
 * @module
 */
import { putLoad, type Load, type Target } from "./http-load.ts";

process.on("message", ({ target, load }: { target: Target; load: Load }) => {
  putLoad(target, load).then(
    (result) => process.send?.({ result }),
    (error: unknown) => process.send?.({ failure: String(error) }),
  );
});
process.on("disconnect", () => process.exit(0));
