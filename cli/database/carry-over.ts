/** What a restore keeps: a backup must not enable disabled accounts, bring back changed passwords or publish retired keys. */
import { Readable } from "node:stream";
import { printable } from "@routeql/contract/printable";
import { outputOf, type Programs } from "./programs.ts";

const psql = ["psql", "--no-psqlrc", "--quiet", "--tuples-only", "--no-align", "--set=ON_ERROR_STOP=1", "--file=-"];

/** SQL before the replaced data is deleted, in the transaction of the restore. A setting survives, a temporary table would not. */
export const remember = `do $$ begin
  if to_regclass('auth.users') is not null and to_regclass('auth.signing_keys') is not null then
    perform set_config('routeql.replaced', jsonb_build_object(
      'users', (select coalesce(jsonb_agg(jsonb_build_object('id', id, 'provider', provider, 'email', lower(email),
        'hash', password_hash, 'role', role, 'disabled', disabled, 'updated', updated_at)), '[]') from auth.users),
      'keys', (select coalesce(jsonb_agg(jsonb_build_object('id', id, 'retired', retired_at is not null)), '[]') from auth.signing_keys)
    )::text, true);
  end if;
end $$;
`;

const textOf = (...statements: readonly string[]): Readable => Readable.from([Buffer.from(statements.join("\n"))]);

/** The state of the database that a restore is about to replace, for `carryOverTo`. */
export const rememberState = (programs: Programs): Promise<string> =>
  outputOf(
    programs,
    psql,
    "Reading the accounts",
    textOf("begin;", remember, "select current_setting('routeql.replaced', true); commit;"),
  );

/** Applies that state to a restored database. @returns sentences about it */
export async function carryOverTo(programs: Programs, state: string | undefined, keepKeys: boolean): Promise<string[]> {
  const literal = `'${(state ?? "").replaceAll("'", "''")}'`;
  const statements = textOf(
    "begin;",
    `set local standard_conforming_strings = on; select set_config('routeql.replaced', ${literal}, true) is null;`,
    "\\o /dev/null",
    carryOver(keepKeys),
    "commit;",
    report,
  );
  return describeCarryOver(await outputOf(programs, psql, "Keeping the accounts", statements));
}

const replaced = `coalesce(nullif(current_setting('routeql.replaced', true), ''), '{"users": [], "keys": []}')::jsonb`;

/** SQL after the rows of the backup. @param keepKeys whether signing keys of the backup stay valid, unless retired since */
export const carryOver = (keepKeys: boolean): string => `
create temporary table replaced_users on commit drop as select * from jsonb_to_recordset(${replaced} -> 'users')
  as found (id text, provider text, email text, hash text, role text, disabled boolean, updated timestamptz);
create temporary table replaced_keys on commit drop as select * from jsonb_to_recordset(${replaced} -> 'keys') as found (id text, retired boolean);
create temporary table restore_report (kind text, what text);
with kept as (
  update auth.users now set password_hash = was.hash, updated_at = was.updated from replaced_users was
  where now.id = was.id and was.hash <> now.password_hash and was.updated > now.updated_at returning now.email)
insert into restore_report select 'password', email from kept;
with kept as (
  update auth.users now set disabled = true from replaced_users was
  where now.provider = was.provider and lower(now.email) = was.email and was.disabled and not now.disabled returning now.id, now.email),
audited as (
  insert into auth.audit_events (event, outcome, user_id, detail) select 'user-disabled', 'success', id, '{"by": "restore"}' from kept)
insert into restore_report select 'disabled', email from kept;
with withdrawn as (
  update auth.signing_keys now set retires_at = least(retires_at, now()), retired_at = now(), private_key_encrypted = ''
  where retired_at is null${keepKeys ? " and exists (select from replaced_keys was where was.id = now.id and was.retired)" : ""} returning id),
audited as (
  insert into auth.audit_events (event, outcome, detail)
  select 'key-retired', 'success', jsonb_build_object('kid', id, 'by', 'restore') from withdrawn)
insert into restore_report select 'key', id from withdrawn;
insert into restore_report
select 'key', id from replaced_keys was where not retired and not exists (select from auth.signing_keys now where now.id = was.id)
union all
select 'role', format('%s (%s, was %s)', now.email, now.role, was.role) from auth.users now join replaced_users was using (id) where now.role <> was.role
union all
select case provider when 'local' then 'revived' else 'returned' end, email from auth.users now
where exists (select from replaced_users) and not exists (select from replaced_users was where was.provider = now.provider and was.email = lower(now.email))
union all
select 'lost', email from replaced_users was
where not exists (select from auth.users now where now.provider = was.provider and lower(now.email) = was.email);
`;

/** After the commit: prints the report as lines of a kind, a tab and a name. */
export const report = `
\\o
copy (select kind, what from restore_report order by kind, what) to stdout;
drop table restore_report;
`;

const meanings: readonly (readonly [kind: string, meaning: string])[] = [
  ["disabled", "Kept disabled"],
  ["password", "Kept with the password that was set after the backup"],
  ["key", "Signing keys withdrawn, so their tokens end"],
  ["revived", "Came back with the password of the backup; check these accounts"],
  ["returned", "Came back; their password is the directory's (check these accounts)"],
  ["role", "Has the role of the backup again; check these accounts"],
  ["lost", "Not in the backup, so these accounts are gone"],
];

/** At most so many names of a kind. */
const shown = 10;

export function describeCarryOver(text: string): string[] {
  const rows = text.split("\n").flatMap((line) => {
    const [kind, what] = line.split("\t");
    // Names come from a file: a terminal must not interpret them.
    return what === undefined ? [] : [{ kind, what: printable(what) }];
  });
  return meanings.flatMap(([kind, meaning]) => {
    const names = rows.filter((row) => row.kind === kind).map(({ what }) => what);
    if (names.length === 0) return [];
    const rest = names.length > shown ? ` and ${names.length - shown} more` : "";
    return [`${meaning}: ${names.slice(0, shown).join(", ")}${rest}.`];
  });
}
