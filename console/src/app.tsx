import { GraphiQL } from "graphiql";
import { type ReactNode, useEffect, useMemo, useState } from "react";
import { Bar, ownView, type View } from "./bar.tsx";
import { createFetcher } from "./fetcher.ts";
import { Login } from "./login.tsx";
import { asRole, type Session } from "./session.ts";

const example = `# Ctrl+Space completes, Ctrl+Enter runs.
# With "subscription" instead of "query" the result stays live.
query LatestUpdates {
  view_bgpupdates(limit: 10, order_by: {timestamp: desc}) {
    timestamp
    type
    prefix
    origin_as
    as_path
    service
  }
}
`;

/** The login, then GraphiQL for the chosen role. */
export function App(): ReactNode {
  const [session, setSession] = useState<Session>();
  const [view, setView] = useState<View>(ownView);
  if (session === undefined) return <Login onSession={setSession} />;
  const logOut = (): void => {
    setSession(undefined);
    setView(ownView);
  };
  return (
    <div className="console">
      <Bar session={session} view={view} onView={setView} onLogOut={logOut} />
      {/* Another role has another schema, so GraphiQL is recreated. Tabs and history persist in the browser's storage. */}
      <Workbench key={JSON.stringify(view)} session={session} view={view} />
    </div>
  );
}

function Workbench({ session, view }: { readonly session: Session; readonly view: View }): ReactNode {
  const { fetcher, dispose } = useMemo(
    () => createFetcher(asRole(session, view.role, view.variables)),
    [session, view],
  );
  useEffect(() => dispose, [dispose]);
  return (
    <GraphiQL
      fetcher={fetcher}
      defaultQuery={example}
      isHeadersEditorEnabled={false}
      showPersistHeadersSettings={false}
      shouldPersistHeaders={false}
    >
      {/* The bar above shows the name. */}
      <GraphiQL.Logo>
        <span />
      </GraphiQL.Logo>
    </GraphiQL>
  );
}
