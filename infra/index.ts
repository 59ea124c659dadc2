import { program } from "./program.ts";

export const { url, consoleUrl, caCertificate, serviceApiKey, engineAccessKey, adminEmail, adminPassword, databasePasswords, services } =
  await program();
