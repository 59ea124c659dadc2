copy (select kind, what from restore_report order by kind, what) to stdout;
drop table restore_report;
