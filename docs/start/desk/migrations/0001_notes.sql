-- Notes of the help desk about hijacks. A schema of its own cannot collide with later versions of RouteQL.
create schema desk;

create table desk.notes (
  id bigint generated always as identity primary key,
  hijack_key varchar(32) not null references routing.hijacks on delete cascade,
  note text not null,
  author text not null,
  written_at timestamptz not null default now()
);
create index on desk.notes (hijack_key);
