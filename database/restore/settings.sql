-- Values enter as variables of psql, which quotes them, and reach the other files as settings.
select set_config('routeql.own', :'own', true), set_config('routeql.keep_keys', :'keep_keys', true);
