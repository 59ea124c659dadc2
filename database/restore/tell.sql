-- The engines learn at the commit that everything changed. No trigger fires: the tables are new, and get theirs by the migrate job.
select pg_notify('routeql_changes', '*');
