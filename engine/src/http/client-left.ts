/** The reason of a cancelled statement: its client has disconnected. */
export class ClientLeft extends Error {
  constructor() {
    super("the client has left");
    this.name = "ClientLeft";
  }
}
