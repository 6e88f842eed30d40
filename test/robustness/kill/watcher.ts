import { RawConnection, type RawTarget } from '../../harness/raw-connection.js';
import type { Held, Ledger } from './ledger.js';
import { COLLECTION } from './writer.js';

interface Listed {
  readonly metadata: { readonly resourceVersion: string };
  readonly items: readonly Stored[];
}

interface Stored {
  readonly metadata: { readonly name: string; readonly resourceVersion: string };
  readonly data?: { readonly mark?: string };
}

interface Event {
  readonly type: string;
  readonly object: Stored & { readonly code?: number };
}

/** All config maps of the test, read over a connection. */
export async function listHeld(connection: RawConnection): Promise<{ revision: number; held: Map<string, Held> }> {
  const { status, body } = await connection.request('GET', COLLECTION);
  if (status !== 200) throw new Error(`the list was answered with ${status}: ${body.toString()}`);
  const list = JSON.parse(body.toString()) as Listed;
  const held = new Map(list.items.filter(isOurs).map((item) => [item.metadata.name, { revision: Number(item.metadata.resourceVersion), mark: item.data!.mark! }]));
  return { revision: Number(list.metadata.resourceVersion), held };
}

const isOurs = (object: Stored): boolean => object.data?.mark !== undefined;

/**
 * Follows the config maps as an informer does: list, watch, resume from the newest revision seen, list again on 410. It complains
 * about each event that does not fit: a revision not above the last one, an addition of what is there, a change or deletion of what is not.
 */
export class Watcher {
  state = new Map<string, Held>();
  /** Newest revision seen; 0: it has to list first. */
  last = 0;
  resumed = 0;
  expired = 0;
  events = 0;
  /** Since this revision nothing was skipped. */
  private from = 0;
  private seen = new Set<number>();
  private connection: RawConnection | undefined;
  private stopped = false;

  constructor(
    private readonly name: string,
    private readonly ledger: Ledger,
  ) {}

  /** Breaks the connection; `run` then goes on from the newest revision seen. */
  interrupt(): void {
    this.connection?.close();
  }

  stop(): void {
    this.stopped = true;
    this.connection?.close();
  }

  /** Follows until the server is gone or `stop` is called. */
  async run(target: RawTarget, first: RawConnection): Promise<void> {
    this.stopped = false;
    for (let next: RawConnection | undefined = first; next && !this.stopped; next = await RawConnection.open(target).catch(() => undefined)) {
      const connection = next;
      this.connection = connection;
      try {
        if (this.last === 0) await this.list(connection);
      } catch {
        connection.close();
        continue;
      }
      this.resumed++;
      let rest = '';
      await connection.stream(`${COLLECTION}?watch=1&resourceVersion=${this.last}`, (text) => {
        const lines = (rest + text).split('\n');
        rest = lines.pop()!;
        for (const line of lines) this.take(JSON.parse(line) as Event);
      });
      connection.close();
    }
  }

  /** Complains about acknowledged writes that an unbroken stream should have shown and did not; begins to count anew. */
  check(): void {
    for (const { key, revision } of this.ledger.answered) {
      if (revision > this.from && revision <= this.last && !this.seen.has(revision)) this.complain(`no event of ${key} at ${revision}, though it follows from ${this.from} to ${this.last}`);
    }
    this.from = this.last;
    this.seen = new Set();
  }

  private async list(connection: RawConnection): Promise<void> {
    const { revision, held } = await listHeld(connection);
    this.state = held;
    this.last = revision;
    this.from = revision;
    this.seen = new Set();
    this.ledger.highest = Math.max(this.ledger.highest, revision);
  }

  private take({ type, object }: Event): void {
    if (type === 'ERROR') {
      if (object.code !== 410) this.complain(`the watch ended with ${JSON.stringify(object)}`);
      this.expired++;
      this.last = 0;
      return;
    }
    const { name: key, resourceVersion } = object.metadata;
    const revision = Number(resourceVersion);
    if (revision <= this.last) this.complain(`event ${type} of ${key} at ${revision} came after ${this.last}`);
    this.last = revision;
    if (!isOurs(object)) return;
    this.events++;
    this.seen.add(revision);
    const mark = object.data!.mark!;
    if ((type === 'ADDED') === this.state.has(key)) this.complain(`event ${type} of ${key} at ${revision} does not fit: it ${this.state.has(key) ? 'was' : 'was not'} there`);
    this.ledger.saw(revision, key, type === 'DELETED' ? 'deleted' : mark);
    if (type === 'DELETED') this.state.delete(key);
    else this.state.set(key, { revision, mark });
  }

  private complain(text: string): void {
    this.ledger.complain(`${this.name}: ${text}`);
  }
}
