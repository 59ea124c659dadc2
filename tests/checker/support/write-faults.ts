/** One changed write permission in otherwise equal metadata. */
export interface WriteFault {
  readonly what: string;
  readonly role: string;
  readonly table: string;
  readonly metadata: Readonly<Record<string, unknown>>;
}

interface Permission {
  filter?: Readonly<Record<string, unknown>>;
  check?: Readonly<Record<string, unknown>> | null;
  columns?: "*" | string[];
  set?: Record<string, unknown>;
  backend_only?: boolean;
}

type Change = (permission: Permission) => void;

const kinds = ["insert_permissions", "update_permissions", "delete_permissions"] as const;

interface Table {
  readonly table: { readonly name: string };
  readonly insert_permissions?: readonly { readonly role: string; readonly permission: Permission }[];
  readonly update_permissions?: readonly { readonly role: string; readonly permission: Permission }[];
  readonly delete_permissions?: readonly { readonly role: string; readonly permission: Permission }[];
}

interface Merged {
  readonly sources: readonly { readonly tables: readonly Table[] }[];
}

const conditionOf = (condition: Permission["filter"] | null) =>
  Object.keys(condition ?? {}).length === 0 ? undefined : (condition ?? undefined);

/** The conditions without one of their parts each. */
function weakened(condition: Readonly<Record<string, unknown>>): readonly (readonly [string, object])[] {
  const { _and: all } = condition;
  return Array.isArray(all)
    ? all.map((part, index) => [JSON.stringify(part), { _and: all.toSpliced(index, 1) }] as const)
    : [];
}

/** Changes that widen a permission. */
function changesOf(kind: (typeof kinds)[number], permission: Permission): readonly (readonly [string, Change])[] {
  const changes: [string, Change][] = [];
  for (const key of ["filter", "check"] as const) {
    const condition = conditionOf(permission[key]);
    if (condition === undefined) continue;
    changes.push([`without its ${key}`, (changed) => (changed[key] = {})]);
    for (const [part, rest] of weakened(condition))
      changes.push([`whose ${key} lacks ${part}`, (changed) => (changed[key] = rest as Permission["filter"] & object)]);
  }
  for (const column of Object.keys(permission.set ?? {}))
    changes.push([
      `without the preset of ${column}, which can be set`,
      (changed) => {
        changed.set = Object.fromEntries(Object.entries(changed.set ?? {}).filter(([name]) => name !== column));
        if (Array.isArray(changed.columns)) changed.columns = [...changed.columns, column];
      },
    ]);
  if (kind === "update_permissions" && Array.isArray(permission.columns) && !permission.columns.includes("id"))
    changes.push(["that can set a further column", (changed) => (changed.columns = "*")]);
  if (permission.backend_only === true)
    changes.push(["that a client may use without a backend", (changed) => (changed.backend_only = false)]);
  return changes;
}

/** All faults that can be planted in the write permissions of the metadata, one in each copy. */
export function faultsOf(merged: Readonly<Record<string, unknown>>): readonly WriteFault[] {
  const { sources } = merged as unknown as Merged;
  return (sources[0]?.tables ?? []).flatMap((table, at) =>
    kinds.flatMap((kind) =>
      (table[kind] ?? []).flatMap(({ role, permission }, index) =>
        changesOf(kind, permission).map(([words, change]): WriteFault => {
          const metadata = structuredClone(merged);
          const entry = (metadata as unknown as Merged).sources[0]?.tables[at]?.[kind]?.[index];
          if (entry !== undefined) change(entry.permission);
          return {
            what: `${role}, ${kind} of ${table.table.name} ${words}`,
            role,
            table: `public.${table.table.name}`,
            metadata,
          };
        }),
      ),
    ),
  );
}
