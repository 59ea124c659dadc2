import { z } from "zod";

/** An e-mail address of a local account: ASCII, so that Postgres and this service fold its case identically. */
export const emailAddress = z
  .string()
  .max(254, "must be an e-mail address")
  .regex(/^[\x21-\x7e]+$/, "must be an e-mail address")
  .pipe(z.email("must be an e-mail address"));
