-- Data of the auth sidecar. The sidecar encrypts private keys before it stores them.
create schema auth;

create table auth.organisations (
  id text primary key check (id <> ''),
  name text not null unique check (name <> ''),
  created_at timestamptz not null default now()
);

create table auth.users (
  id text primary key,
  provider text not null default 'local',
  email text not null,
  name text not null,
  password_hash text,
  role text not null check (role in ('pending', 'viewer', 'analyst', 'tenant', 'operator')),
  organisation_id text references auth.organisations,
  disabled boolean not null default false,
  last_login timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
-- One address may exist once per provider, ignoring case.
create unique index users_provider_email on auth.users (provider, lower(email));
create index users_organisation on auth.users (organisation_id) where organisation_id is not null;

create table auth.signing_keys (
  id text primary key,
  algorithm text not null,
  public_jwk jsonb not null,
  private_key_encrypted bytea not null,
  created_at timestamptz not null default now(),
  published_at timestamptz,
  signs_from timestamptz,
  retires_at timestamptz,
  retired_at timestamptz
);
comment on column auth.signing_keys.id is 'The key''s kid: its RFC 7638 thumbprint.';

create table auth.audit_events (
  id bigint generated always as identity primary key,
  occurred_at timestamptz not null default now(),
  event text not null,
  outcome text not null,
  user_id text,
  provider text,
  account text,
  address inet,
  request_id text,
  detail jsonb
);
create index audit_events_occurred_at on auth.audit_events (occurred_at);
create index audit_events_user on auth.audit_events (user_id, occurred_at) where user_id is not null;
