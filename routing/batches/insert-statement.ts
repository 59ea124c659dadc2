import { rowColumns } from "../judging/stored/stored-rows.ts";

/**
 * Identity of an update. One event of BGP reaches the database from several sources: the socket of RIS Live, MRT files of the same
 * collector, RIPEstat. Two reports are one update if these are equal:
 *
 * - collector (`service`), AS of the peer, prefix, type and path. The address of the peer is missing: the specified columns lack it, and so
 *   two sessions of one AS at one collector look alike. Communities are missing: RIS Live omits large ones. Attributes that no column has,
 *   such as the next hop, are missing.
 * - the time, to the digits that both sources report. Old files and RIPEstat have whole seconds, RIS Live milliseconds or less, MRT of the
 *   extended type microseconds; the digits of a stored time show its kind. Times of one kind are equal or differ. Between kinds, the n-th
 *   report within a second is the n-th report of the other source.
 * - the number of the repetition: the n-th equal row at one time within one file, or of the messages of a live source, is a row of its own.
 *
 * The first report stays as it is; a later one adds nothing. So a file loaded twice, a gap filled twice, and a message that arrives twice
 * change nothing. Updates that only differ in `service` are different: text and MRT need `--service` with the collector's name. A withdrawal
 * without the AS of its peer (RIPEstat, from a monitor without announcements in the input) equals no other source's.
 *
 * `routing.update_key` of collector, peer, prefix, type, path, time and repetition is the key of a row, so that rows of all versions match.
 */

/** Precision of the source of a time: 0, 3 or 6 decimals. */
const digits = (row: string): string =>
  `case when date_part('microseconds', ${row}."timestamp")::integer % 1000000 = 0 then 0
    when date_part('microseconds', ${row}."timestamp")::integer % 1000 = 0 then 3 else 6 end`;

/** Drops reports of updates that another kind of source has stored. A chunk has all rows of a second. */
const withoutStored = `, compared as (
    select r.*, stored.equal, stored.others
    from repeated r cross join lateral (
      select count(*) filter (where u."timestamp" = r."timestamp" and u.key = routing.update_key(r.identity, r.repetition)) as equal,
        count(*) filter (where ${digits("u")} <> ${digits("r")}) as others
      from routing.bgp_updates u
      where u.prefix = r.prefix and u."timestamp" >= r.second and u."timestamp" < r.second + interval '1 second'
        and u.service = r.service and u.type = r.type and u.as_path = r.as_path and u.peer_asn is not distinct from r.peer_asn
    ) stored
  ), ranked as (
    select *, row_number() over (
      partition by prefix, second, peer_asn, type, as_path, service, member, equal > 0 order by "timestamp", ordinal) as rank
    from compared
  ), fresh as (
    select * from ranked where equal = 0 and rank > others
  )`;

/** The staged rows from $1 up to but without $2 that are no repetition of stored ones, sorted by prefix. @param condition of a row `s` */
const newRows = (compares: boolean, condition = ""): string => `
  with named as (
    select s.ordinal, s.member, s.repetition as given, s."timestamp", date_trunc('second', s."timestamp") as second,
      network(s.prefix)::inet as prefix, coalesce(s.peer_asn, known.peer_asn) as peer_asn,
      s.type, s.as_path, s.service, s.communities, s.orig_path
    from staged_updates s left join staged_monitors known on known.monitor = s.monitor
    where s."timestamp" >= $1 and s."timestamp" < $2 ${condition}
  ), identified as (
    select *, routing.update_identity("timestamp", prefix, peer_asn, type, as_path, service) as identity from named
  ), repeated as (
    select *, coalesce(given, row_number() over (partition by prefix, "timestamp", identity, member order by ordinal) - 1) as repetition
    from identified
  )${compares ? withoutStored : ""}, numbered as (
    select *, routing.update_key(identity, repetition) as key, row_number() over () as number from ${compares ? "fresh" : "repeated"}
  )`;

/**
 * Inserts the staged rows. One sort serves the repetitions and the order of the rows.
 * @param compares whether the table has rows of another kind of source in these seconds @param marked whether staged_marks has what judging says about rows
 */
export const insertStatement = (compares: boolean, marked: boolean): string => `${newRows(compares)}
  insert into routing.bgp_updates (
    key, prefix, origin_as, peer_asn, as_path, service, type, communities, "timestamp", orig_path${marked ? ", hijack_key, handled, matched_prefix" : ""})
  select key, prefix, coalesce(as_path[cardinality(as_path)], -1), peer_asn, as_path, service, type, communities, "timestamp", orig_path
    ${marked ? ", coalesce(hijack_key, '{}'), hijack_key is not null, matched_prefix" : ""}
  from numbered ${marked ? 'left join staged_marks using ("timestamp", key)' : ""}
  where number % 10000 <> 0 or pg_temp.show_progress(number)
  on conflict do nothing`;

/** The same rows within the prefixes $3, before they are inserted. Members of a tar may have the same update: it is one row. */
export const selectStatement = (compares: boolean): string => `
  ${newRows(compares, "and network(s.prefix)::inet = any ($3::inet[])")}
  select ${rowColumns("key")}
  from (select distinct on ("timestamp", key) * from numbered order by "timestamp", key) n
  where not exists (select from routing.bgp_updates u where u."timestamp" = n."timestamp" and u.key = n.key)`;

/** Stored rows for each staged one above which the look at all of them costs more than the comparison of the staged ones. */
const mostLooked = 2;

/**
 * Whether the table may have rows of another kind of source in the seconds from $1 up to but without $2. A full feed has many rows in the
 * seconds of each transaction; then the staged rows are compared, without a look at all stored ones.
 */
export const hasOtherKinds = `
  select case
    when not exists (select from routing.bgp_updates u where u."timestamp" >= $1 and u."timestamp" < $2) then false
    else (
      select case when least <> most then true else (
        select count(*) >= rows * ${mostLooked} or bool_or(${digits("u")} <> least)
        from (
          select u."timestamp" from routing.bgp_updates u where u."timestamp" >= $1 and u."timestamp" < $2 limit rows * ${mostLooked}
        ) u
      ) end
      from (
        select min(${digits("s")}) as least, max(${digits("s")}) as most, count(*) as rows
        from staged_updates s where s."timestamp" >= $1 and s."timestamp" < $2
      ) staged
    )
  end as present`;
