import { Agent, get } from 'node:http';

const PAUSE_MILLISECONDS = 20;
const REQUEST_MILLISECONDS = 10_000;

/** Sends requests to an address, one after the other, each over a connection of its own, until it is stopped. */
export class OutsideClient {
  answered = 0;
  /** What went wrong, with the moment. */
  readonly failures: string[] = [];
  private stopped = false;
  private readonly done: Promise<void>;

  constructor(private readonly url: string) {
    this.done = this.go();
  }

  async stop(): Promise<void> {
    this.stopped = true;
    await this.done;
  }

  private async go(): Promise<void> {
    while (!this.stopped) {
      await this.ask().then(() => this.answered++, (error: unknown) => this.failures.push(`${new Date().toISOString()} ${String(error)}`));
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MILLISECONDS));
    }
  }

  private ask(): Promise<void> {
    return new Promise((resolve, reject) => {
      const request = get(this.url, { agent: new Agent({ keepAlive: false }), timeout: REQUEST_MILLISECONDS }, (response) => {
        response.resume();
        response.on('end', () => (response.statusCode === 200 ? resolve() : reject(new Error(`status ${response.statusCode}`)))).on('error', reject);
      });
      request.on('timeout', () => request.destroy(new Error(`no answer within ${REQUEST_MILLISECONDS} ms`))).on('error', reject);
    });
  }
}
