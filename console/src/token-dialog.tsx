import { type FormEvent, type ReactNode, useEffect, useRef, useState } from "react";
import { textField } from "./form.ts";
import { checkedToken } from "./session.ts";

/** The page waits for another access token. */
export interface TokenQuestion {
  readonly answer: (token: string) => void;
  readonly refuse: () => void;
}

interface TokenDialogProps {
  readonly question: TokenQuestion;
  readonly onLogOut: () => void;
}

/** Asks for another access token when the server no longer accepts the former one. */
export function TokenDialog({ question, onLogOut }: TokenDialogProps): ReactNode {
  const dialog = useRef<HTMLDialogElement>(null);
  const [error, setError] = useState("");
  useEffect(() => dialog.current?.showModal(), []);
  const submit = async (event: FormEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    const token = textField(new FormData(event.currentTarget), "next-token");
    try {
      question.answer(await checkedToken(token));
    } catch (thrown) {
      setError(thrown instanceof Error ? thrown.message : String(thrown));
    }
  };
  return (
    <dialog ref={dialog} className="token" aria-labelledby="token-heading" onCancel={(event) => event.preventDefault()}>
      <form onSubmit={(event) => void submit(event)}>
        <h2 id="token-heading">The access token has ended</h2>
        <p>The server no longer accepts it. Paste another one to continue.</p>
        <label className="field">
          Access token
          <input name="next-token" id="next-token" type="password" autoComplete="off" spellCheck={false} required />
        </label>
        <p className="error" role="alert">
          {error}
        </p>
        <div className="choices">
          <button type="submit">Continue</button>
          <button type="button" onClick={onLogOut}>
            Log out
          </button>
        </div>
      </form>
    </dialog>
  );
}
