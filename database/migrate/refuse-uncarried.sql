-- A restore accepts only rows of tables with such names.
do $$ declare bad text; begin
  select format('%I.%I.%I', nspname, relname, attname) into bad
  from pg_namespace n join pg_class c on relnamespace = n.oid join pg_attribute on attrelid = c.oid
  where pg_get_userbyid(nspowner) = current_user and relkind in ('r', 'p', 'S') and attnum > 0
    and nspname || relname || attname !~ '^[ !#-&(-~]+$';
  if bad is not null then raise exception 'the name % has characters other than printable ASCII, or quotation marks. Use another name', bad; end if;
end $$;
-- Objects that a dump, the archive or a restore would lose, or that the next run of this job resets.
do $$ declare bad text; begin
  select 'the table ' || oid::regclass || ' has row level security, so no backup would have all its rows. Restrict rows by permissions of the metadata'
    into bad from pg_class where relrowsecurity and pg_get_userbyid(relowner) = current_user order by oid limit 1;
  if bad is null then
    select oid::regclass || ' is UNLOGGED, so the archive would not have its rows. Create it without UNLOGGED'
      into bad from pg_class where relpersistence = 'u' and relkind in ('r', 'S') and pg_get_userbyid(relowner) = current_user order by oid limit 1;
  end if;
  if bad is null then
    select 'the large object ' || oid || ' would be in no backup. Store bytes in a column of type bytea'
      into bad from pg_largeobject_metadata where pg_get_userbyid(lomowner) = current_user order by oid limit 1;
  end if;
  if bad is null then
    select 'the trigger ' || tgname || ' is ENABLE ALWAYS, so a restore would run it. Use ENABLE TRIGGER'
      into bad from pg_trigger join pg_class c on c.oid = tgrelid
      where tgenabled = 'A' and not tgisinternal and pg_get_userbyid(relowner) = current_user order by tgname limit 1;
  end if;
  if bad is null then
    select 'the database has the setting ' || setting || ', which every update resets. Set it in the function or the session that needs it'
      into bad from pg_db_role_setting s join pg_database d on d.oid = setdatabase, unnest(setconfig) setting
      where datname = current_database() and (setrole = 0 or setrole = current_user::regrole) limit 1;
  end if;
  if bad is not null then raise exception '%', bad; end if;
end $$;
