import { GraphiQL } from "graphiql";
import { type ReactNode, useEffect, useMemo, useRef, useState } from "react";
import { Bar, ownView, type View } from "./bar.tsx";
import { createRequests } from "./fetcher.ts";
import { Login } from "./login.tsx";
import { asRole, type Page, type Session } from "./session.ts";
import { TokenDialog, type TokenQuestion } from "./token-dialog.tsx";

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
  const [tokenRole, setTokenRole] = useState<string>();
  const [question, setQuestion] = useState<TokenQuestion>();
  const [liveState, setLiveState] = useState("");
  const page: Page = useMemo(
    () => ({
      onRole: setTokenRole,
      askForToken: () =>
        new Promise((answer, refuse) => {
          setQuestion({
            answer: (token) => {
              setQuestion(undefined);
              answer(token);
            },
            refuse: () => {
              setQuestion(undefined);
              refuse(new Error("The access token has ended."));
            },
          });
        }),
    }),
    [],
  );
  const shown = useMemo(() => session && asRole(session, view.role, view.variables), [session, view]);
  if (session === undefined || shown === undefined) return <Login page={page} onSession={setSession} />;
  const logOut = (): void => {
    question?.refuse();
    setSession(undefined);
    setView(ownView);
    setTokenRole(undefined);
    setLiveState("");
  };
  const role = session.choosesRole ? shown.role : (tokenRole ?? session.role);
  return (
    <div className="console">
      <Bar session={session} role={role} view={view} liveState={liveState} onView={setView} onLogOut={logOut} />
      {question !== undefined && <TokenDialog question={question} onLogOut={logOut} />}
      {/* Another role has another schema, so GraphiQL is recreated. Tabs and history persist in the browser's storage. */}
      <Workbench key={JSON.stringify([view, role])} session={shown} onLiveState={setLiveState} />
    </div>
  );
}

interface WorkbenchProps {
  readonly session: Session;
  readonly onLiveState: (words: string) => void;
}

function Workbench({ session, onLiveState }: WorkbenchProps): ReactNode {
  const { fetcher, endLiveQueries, dispose } = useMemo(
    () => createRequests(session, onLiveState),
    [session, onLiveState],
  );
  useEffect(() => dispose, [dispose]);
  const openTab = useRef<string>(undefined);
  return (
    <main className="workbench">
      <h1 className="hidden">GraphQL console</h1>
      <GraphiQL
        fetcher={fetcher}
        defaultQuery={example}
        isHeadersEditorEnabled={false}
        showPersistHeadersSettings={false}
        shouldPersistHeaders={false}
        // GraphiQL writes the rows of a live query into the open tab, and a new tab does not end it.
        onTabChange={({ tabs, activeTabIndex }) => {
          const id = tabs[activeTabIndex]?.id;
          if (openTab.current !== undefined && openTab.current !== id) endLiveQueries();
          openTab.current = id;
        }}
      >
        {/* The bar above shows the name. */}
        <GraphiQL.Logo>
          <span />
        </GraphiQL.Logo>
      </GraphiQL>
    </main>
  );
}
