-- After the rows, with own migrations: resumes what replay.sql suspended. Materialized views need the partitions of after-rows.sql.
do $$ declare changed text; change record; begin
  -- As isSameText compares: without a byte order mark, the kind of line ends and the last one.
  select name into changed from migrations.own_migrations
    where rtrim(replace(replace(ltrim(content, chr(65279)), chr(13) || chr(10), chr(10)), chr(13), chr(10)), chr(10))
      is distinct from rtrim(replace(replace(ltrim(current_setting('routeql.own_texts')::jsonb ->> name, chr(65279)), chr(13) || chr(10), chr(10)), chr(13), chr(10)), chr(10));
  if changed is not null then
    raise exception 'your migration % in the backup differs from the one that this stack has', changed;
  end if;
  for change in select * from suspended loop execute replace(change.change, '%s', change.steps[2]); end loop;
  for changed in select oid::regclass from pg_class where relkind = 'm' order by oid loop execute 'refresh materialized view ' || changed; end loop;
end $$;
