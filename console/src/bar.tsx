import { type FormEvent, type ReactNode, useState } from "react";
import { textField } from "./form.ts";
import type { Session } from "./session.ts";

/** A role with its session variables; an empty role is the one of the credentials. */
export interface View {
  readonly role: string;
  readonly variables: Readonly<Record<string, string>>;
}

export const ownView: View = { role: "", variables: {} };

interface BarProps {
  readonly session: Session;
  /** The role in force. */
  readonly role: string;
  readonly view: View;
  /** State of the live queries in words, empty while it is good. */
  readonly liveState: string;
  readonly onView: (view: View) => void;
  readonly onLogOut: () => void;
}

/** The line above GraphiQL: account, role and logout. */
export function Bar({ session, role, view, liveState, onView, onLogOut }: BarProps): ReactNode {
  return (
    <header className="bar">
      <strong>RouteQL</strong>
      <span className="account">{session.label}</span>
      <span className="account" id="role-in-force">
        role {role}
      </span>
      {session.choosesRole && <RoleChoice view={view} onView={onView} />}
      <span role="status" id="live-state">
        {liveState}
      </span>
      <button type="button" id="log-out" onClick={onLogOut}>
        Log out
      </button>
    </header>
  );
}

function RoleChoice({ view, onView }: Pick<BarProps, "view" | "onView">): ReactNode {
  const [error, setError] = useState("");
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const data = new FormData(event.currentTarget);
    try {
      onView({ role: textField(data, "role"), variables: readVariables(textField(data, "variables")) });
      setError("");
    } catch (thrown) {
      setError(thrown instanceof Error ? thrown.message : String(thrown));
    }
  };
  return (
    <form className="role" onSubmit={submit}>
      <label>
        Role
        <input
          name="role"
          id="role"
          defaultValue={view.role}
          placeholder="admin"
          spellCheck={false}
          autoCapitalize="none"
        />
      </label>
      <label className="variables">
        Session variables
        <input
          name="variables"
          id="session-variables"
          defaultValue={writeVariables(view.variables)}
          placeholder="X-Hasura-Org-Id=acme"
          spellCheck={false}
          autoCapitalize="none"
        />
      </label>
      <button type="submit" id="apply-role">
        Apply
      </button>
      <span role="alert">{error}</span>
    </form>
  );
}

const variable = /^(x-hasura-[a-z0-9-]+)\s*=\s*(.*)$/i;

/** Reads `X-Hasura-Org-Id=acme; X-Hasura-User-Id=7`. @throws Error that names the entry with another form */
function readVariables(text: string): Record<string, string> {
  const entries = text.split(";").map((entry) => entry.trim());
  return Object.fromEntries(
    entries
      .filter((entry) => entry !== "")
      .map((entry) => {
        const [, name, value] = variable.exec(entry) ?? [];
        if (name === undefined || value === undefined)
          throw new Error(`Write X-Hasura-Name=value, separated by semicolons, not “${entry}”.`);
        return [name.toLowerCase(), value];
      }),
  );
}

function writeVariables(variables: View["variables"]): string {
  return Object.entries(variables)
    .map(([name, value]) => `${name}=${value}`)
    .join("; ");
}
