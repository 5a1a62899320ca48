import { Client, type ClientConfig } from 'pg';

/**
 * A connection of a pool whose end never ends the process. A pool listens for errors of its idle connections, and who
 * takes one can listen only once it has been handed over: in between, nobody does, and a server that is being restarted
 * may say so together with the answer before, so that both are read at once (brianc/node-postgres, issue 2762).
 * Whatever waits for an answer of the connection fails as well, and reports it.
 */
export class LastingClient extends Client {
  constructor(config?: ClientConfig) {
    super(config);
    this.on('error', () => undefined);
  }
}
