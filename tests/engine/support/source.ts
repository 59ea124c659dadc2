/** A metadata source named `default` on the database at this URL; `contents` are its tables and optional functions. */
export function sourceAt(
  databaseUrl: string,
  contents: { readonly tables: readonly object[]; readonly functions?: readonly object[] },
) {
  return {
    name: "default",
    kind: "postgres",
    configuration: { connection_info: { database_url: databaseUrl } },
    ...contents,
  };
}
