import "graphiql/setup-workers/vite";
import "graphiql/style.css";
import "./console.css";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./app.tsx";

const place = document.querySelector("#console");
if (place === null) throw new Error("The page has no element #console.");
createRoot(place).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
