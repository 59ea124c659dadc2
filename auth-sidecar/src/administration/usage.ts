/** What `--help` prints, and what a command that is not understood is answered with. */
export const usage = `Usage: node auth-sidecar/src/administration/main.ts COMMAND

Accounts; ACCOUNT is an id or an e-mail address (--provider ldap for those of the directory):
  users list                                       all accounts
  users show ACCOUNT                               one account with its sessions
  users add EMAIL --role ROLE [--name NAME] [--organisation ORG]
                                                   a new local account; its password from standard input
  users role ACCOUNT ROLE [--organisation ORG]     another role; tenants need an organisation
  users disable ACCOUNT                            no login and no token any more; ends the sessions
  users enable ACCOUNT
  users password ACCOUNT                           a new password from standard input; ends the sessions
  users sessions ACCOUNT                           the sessions that live
  users end-sessions ACCOUNT                       ends them; issued tokens live on until they expire

Signing keys:
  keys list                                        all keys and what each does now
  keys rotate                                      publishes a new key, which signs once every verifier has seen it
  keys retire KEY                                  withdraws a key at once, as after a leak

Roles: pending, viewer, analyst, tenant, operator.
--json prints JSON instead of tables. Passwords are never taken from the command line or the environment.
`;
