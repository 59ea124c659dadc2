/** Why a statement was given up: nobody waits for its answer. */
export class ClientLeft extends Error {
  constructor() {
    super("the client has left");
    this.name = "ClientLeft";
  }
}
