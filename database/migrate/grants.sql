-- The complete rights of each role: applied after every migration, by the owner.
revoke all on schema public from public;
alter default privileges revoke execute on functions from public;
revoke all on all tables in schema routing, auth, public, migrations from public;
revoke all on all functions in schema routing, auth, public, migrations from public;

revoke all on all tables in schema routing, auth, public, migrations from routeql_engine, routeql_sidecar, routeql_loader, routeql_backup;
revoke all on all sequences in schema routing, auth, public, migrations from routeql_engine, routeql_sidecar, routeql_loader, routeql_backup;
revoke all on all functions in schema routing, auth, public, migrations from routeql_engine, routeql_sidecar, routeql_loader, routeql_backup;
revoke all on schema routing, auth, public, migrations from routeql_engine, routeql_sidecar, routeql_loader, routeql_backup;

-- The engine reads the public views, and writes the columns of the metadata's write permissions.
grant usage on schema public to routeql_engine;
grant select on view_bgpupdates, view_hijacks, view_bgpupdates_hijacks, view_configured_prefixes,
  view_bgpupdates_log, view_hijacks_log, view_log_generations, view_hijack_reasons,
  view_visibility_losses, view_feed_gaps to routeql_engine;
grant update (comment, ignored, resolved, seen, under_mitigation) on view_hijacks to routeql_engine;
-- For live queries: it learns when the tables behind a statement change.
grant execute on function tables_read_by(oid[], oid[]), start_listening(oid[]), stop_listening(oid[]) to routeql_engine;

-- The sidecar works on accounts and keys; it deletes nothing and cannot change audit events.
grant usage on schema auth to routeql_sidecar;
grant select, insert on auth.organisations to routeql_sidecar;
grant select, insert, update on auth.users, auth.signing_keys to routeql_sidecar;
grant execute on function auth.take_turn(bigint) to routeql_sidecar;
grant select, insert on auth.audit_events to routeql_sidecar;
grant select on auth.revoked_tokens to routeql_sidecar;

-- The loader adds updates; detection uses the same role to mark them and to maintain hijacks and configured prefixes.
grant usage on schema routing to routeql_loader;
grant select on routing.bgp_updates to routeql_loader;
-- All columns but the position.
grant insert (key, prefix, origin_as, peer_asn, as_path, service, type, communities, "timestamp", hijack_key, handled, matched_prefix, orig_path)
  on routing.bgp_updates to routeql_loader;
grant usage on sequence routing.update_positions to routeql_loader;
grant update (hijack_key, handled, matched_prefix) on routing.bgp_updates to routeql_loader;
grant select, insert, update on routing.hijacks to routeql_loader;
-- Live updates: the feed keeps where it stands, and gaps, which load fills.
grant select, insert, update on routing.feed_sources, routing.feed_gaps to routeql_loader;
grant delete on routing.feed_sources to routeql_loader;
grant select, insert, delete on routing.vrps to routeql_loader;
grant select, insert, update, delete on routing.configured_prefixes, routing.hijack_peers, routing.prefix_peers to routeql_loader;
grant select, insert, update on routing.detection, routing.judged_prefixes, routing.visibility_losses to routeql_loader;
grant select, insert on routing.detection_rules to routeql_loader;
grant select on routing.update_links to routeql_loader;
grant execute on function
  routing.validate_hijacks(),
  routing.update_identity(timestamp, inet, bigint, text, bigint[], text),
  routing.update_key(uuid, bigint),
  routing.ensure_partitions(timestamp, timestamp),
  routing.analyse_updates(),
  routing.analyse_hijacks(),
  routing.ensure_organisation(text, text)
to routeql_loader;

-- Its commands record when they finished.
grant usage on schema migrations to routeql_loader;
grant execute on function migrations.record_run(text, real), migrations.record_vrps(timestamp, real) to routeql_loader;

-- Backups read every table, including future ones. (pg_read_all_data would also expose the roles' password verifiers.)
grant usage on schema routing, auth, public, migrations to routeql_backup;
grant select on all tables in schema routing, auth, public, migrations to routeql_backup;
grant select on all sequences in schema routing, auth, public, migrations to routeql_backup;
alter default privileges grant select on tables to routeql_backup;
alter default privileges grant select on sequences to routeql_backup;

-- The exporter of metrics reads when commands finished. Its role exists only where monitoring is on, so its group has the right.
revoke all on all tables in schema routing, auth, public, migrations from pg_monitor;
revoke all on schema routing, auth, public, migrations from pg_monitor;
grant usage on schema migrations to pg_monitor;
grant select on migrations.finished_runs, migrations.schema_migrations to pg_monitor;
