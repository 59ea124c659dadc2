import { expect, test } from "vitest";
import { parseConnectionUrl } from "./url.ts";

// Verdicts of PQconninfoParse of libpq 18.
test.each<readonly [string, Record<string, string>]>([
  ["postgres://", {}],
  ["postgresql:///app?host=/run/postgresql", { dbname: "app", host: "/run/postgresql" }],
  ["postgres://%2Frun%2Fpostgresql/app", { host: "/run/postgresql", dbname: "app" }],
  ["postgres://u%40s:p%2Fw%25@db:6432/app", { user: "u@s", password: "p/w%", host: "db", port: "6432", dbname: "app" }],
  ["postgres://u:p#w?x@db/app", { user: "u", password: "p#w?x", host: "db", dbname: "app" }],
  ["postgres://u:a/b@db/app", { host: "u", port: "a", dbname: "b@db/app" }],
  ["postgres://u:a@b@db/app", { user: "u", password: "a", host: "b@db", dbname: "app" }],
  ["postgres://[2001:db8::1]:5432/app", { host: "2001:db8::1", port: "5432", dbname: "app" }],
  ["postgres://[fe80::1%25eth0]/app", { host: "fe80::1%eth0", dbname: "app" }],
  ["postgres://a:1,b,[::1]:3/app", { host: "a,b,::1", port: "1,,3", dbname: "app" }],
  ["postgres://db?sslmode=require", { host: "db", sslmode: "require" }],
  ["postgres://db/app?ssl=true", { host: "db", dbname: "app", sslmode: "require" }],
  ["postgres://db/app?requiressl=0", { host: "db", dbname: "app", sslmode: "prefer" }],
  ["postgres://db/app?%73slmode=disable&", { host: "db", dbname: "app", sslmode: "disable" }],
  ["postgres://db/app?user=x&password=a%26b", { host: "db", dbname: "app", user: "x", password: "a&b" }],
  ["postgres://db/app?host=other", { host: "other", dbname: "app" }],
])("splits %s as libpq", (url, expected) => {
  expect(parseConnectionUrl(url)).toEqual(expected);
});

test.each([
  ["mysql://db", "it must begin with postgres:// or postgresql://"],
  ["Postgres://db", "Write it in lower case"],
  ["host=db dbname=app", "A list of keywords is not supported"],
  [
    "Host=db;Username=u;Password=p;SSL Mode=Require;Trust Server Certificate=true",
    "A list of keywords is not supported",
  ],
  ["jdbc:postgresql://db:5432/app?user=u&password=p&ssl=true", "Remove jdbc:"],
  ["postgresql+psycopg2://u:p@db/app", "Remove the + and the name of the driver"],
  ["postgresql+asyncpg://u:p@db/app?ssl=require", "Remove the + and the name of the driver"],
  ["prisma+postgres://accelerate.example.net/?api_key=k", "Give the address of Postgres itself"],
  ["psql 'postgresql://u:p@db/app?sslmode=require'", "Give the URL alone, without psql"],
  ["postgres://u:100%@db/app", "the password has a % without two hexadecimal digits"],
  ["postgres://u:a%00@db/app", "the password has a zero byte"],
  ["postgres://u:a b@db/app", "the password has a space. Write it as %20"],
  ["postgres://u:%E4@db/app", "the password is percent-encoded in another encoding than UTF-8"],
  ["postgres://[::1/app", "the IPv6 address of the host has no closing bracket"],
  ["postgres://[]/app", "the IPv6 address of the host is empty"],
  ["postgres://[::1]x/app", "is not followed by a port or a slash"],
  ["postgres://db/app?sslmode", "a parameter after ? has no value"],
  ["postgres://db/app?a=b=c", "a second = sign"],
  [
    "postgres://db/app?pgbouncer=true&connection_limit=1",
    "no parameter pgbouncer. Remove it, and give an address without",
  ],
  ["postgres://db/app?schema=public", "no parameter schema. Remove it"],
  ["postgres://db/app?sslmode=require&uselibpqcompat=true", "no parameter uselibpqcompat. Remove it"],
  ["postgres://db/app?ssl=no-verify", "no parameter ssl. Write sslmode=require"],
  ["postgres://db/app?ssl=1", "no parameter ssl. Write sslmode=require"],
  ["postgres://db/app?ssl=false", "no parameter ssl. Write sslmode=disable"],
  ["postgres://db/app?SSLMODE=require", "no parameter SSLMODE. Remove it"],
  [
    "postgres://admin:ab/c?Secret1=x@db/app",
    "no parameter of such a name. Write a / or ? of the password as %2F or %3F",
  ],
])("refuses %s, as libpq, without a value of it", (url, reason) => {
  expect(() => parseConnectionUrl(url)).toThrow(reason);
});
