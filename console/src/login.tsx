import { type FormEvent, type ReactNode, useState } from "react";
import { secretField, textField } from "./form.ts";
import { masterKeySession, type Page, passwordSession, type Session, tokenSession } from "./session.ts";

const ways = { password: "E-mail", token: "Token", key: "Master key" } as const;
type Way = keyof typeof ways;

const notes: Record<Way, string> = {
  password: "The console sees what your role sees. A reload of this page logs you out.",
  token: "Paste an access token. When it expires, the console asks for another one.",
  key: "The master key grants full access. With it you can also choose a role. A reload of this page forgets the key.",
};

const logIn: Record<Way, (data: FormData, page: Page) => Promise<Session>> = {
  password: (data, page) => passwordSession(textField(data, "email"), secretField(data, "password"), page),
  token: (data, page) => tokenSession(textField(data, "token"), page),
  key: (data) => masterKeySession(textField(data, "key")),
};

interface LoginProps {
  readonly page: Page;
  readonly onSession: (session: Session) => void;
}

export function Login({ page, onSession }: LoginProps): ReactNode {
  const [way, setWay] = useState<Way>("password");
  const [error, setError] = useState("");
  const [busy, setBusy] = useState(false);

  const submit = async (event: FormEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    setError("");
    try {
      onSession(await logIn[way](new FormData(event.currentTarget), page));
    } catch (thrown) {
      setError(thrown instanceof Error ? thrown.message : String(thrown));
      setBusy(false);
    }
  };

  return (
    <main className="login">
      <form onSubmit={(event) => void submit(event)}>
        <h1>
          RouteQL <span>console</span>
        </h1>
        <div className="ways" role="radiogroup" aria-label="Log in with">
          {Object.entries(ways).map(([value, label]) => (
            <label key={value}>
              <input
                type="radio"
                name="way"
                value={value}
                checked={way === value}
                onChange={() => {
                  setWay(value as Way);
                  setError("");
                }}
              />
              <span>{label}</span>
            </label>
          ))}
        </div>
        {way === "password" && (
          <>
            <Field name="email" label="E-mail" type="email" autoComplete="username" />
            <Field name="password" label="Password" type="password" autoComplete="current-password" />
          </>
        )}
        {way === "token" && <Field name="token" label="Access token" type="password" autoComplete="off" />}
        {way === "key" && <Field name="key" label="Master key" type="password" autoComplete="off" />}
        <p className="note">{notes[way]}</p>
        <p className="error" role="alert" id="login-error">
          {error}
        </p>
        <button type="submit" disabled={busy}>
          {busy ? "Checking…" : "Log in"}
        </button>
      </form>
    </main>
  );
}

interface FieldProps {
  readonly name: string;
  readonly label: string;
  readonly type: "email" | "password";
  readonly autoComplete: string;
}

function Field({ name, label, type, autoComplete }: FieldProps): ReactNode {
  return (
    <label className="field">
      {label}
      <input name={name} id={`login-${name}`} type={type} autoComplete={autoComplete} spellCheck={false} required />
    </label>
  );
}
