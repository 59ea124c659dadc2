import type { Client } from "pg";

/** Creates a function that reports the rows of a running INSERT; Postgres sends a notice to the client at once. */
export const insertProgress = `
  create or replace function pg_temp.show_progress(rows bigint) returns boolean language plpgsql volatile as $$
  begin
    raise notice using message = 'rows', detail = rows::text;
    return true;
  end $$`;

/** Runs `work` and passes on the numbers that the function above reports. */
export async function countInserts<T>(client: Client, onRows: (rows: number) => void, work: () => Promise<T>): Promise<T> {
  const listener = ({ message, detail }: { readonly message: string | undefined; readonly detail?: string | undefined }): void => {
    if (message === "rows") onRows(Number(detail));
  };
  client.on("notice", listener);
  try {
    return await work();
  } finally {
    client.off("notice", listener);
  }
}
