import type { Random } from '../../../src/base/random.js';
import type { RawConnection } from '../../harness/raw-connection.js';
import type { Ledger } from './ledger.js';

export const COLLECTION = '/api/v1/namespaces/default/configmaps';
const KEYS_PER_WRITER = 8;

interface ConfigMap {
  readonly metadata: { readonly resourceVersion: string };
}

/** Creates, updates and deletes config maps of its own, one request after the other, until its connection breaks or it is told to stop. */
export class Writer {
  private serial = 0;
  private stopped = false;

  constructor(
    private readonly name: string,
    private readonly random: Random,
    private readonly ledger: Ledger,
  ) {}

  stop(): void {
    this.stopped = true;
  }

  /** Works until the connection breaks or `stop` is called; the connection is closed then. */
  async run(connection: RawConnection): Promise<void> {
    this.stopped = false;
    try {
      while (!this.stopped) await this.write(connection);
    } catch {
      // The server was killed; what was under way stays unanswered.
    } finally {
      connection.close();
    }
  }

  private async write(connection: RawConnection): Promise<void> {
    const { ledger, random } = this;
    const key = `${this.name}-${Math.floor(random.float() * KEYS_PER_WRITER)}`;
    const held = ledger.state.get(key);
    const remove = held !== undefined && random.float() < 0.2;
    const mark = `${this.name}.${++this.serial}`;
    ledger.unanswered.set(key, { mark: remove ? undefined : mark });
    const lock = held && random.float() < 0.5 ? { resourceVersion: String(held.revision) } : {};
    const object = { metadata: { name: key, ...lock }, data: { mark, filler: 'x'.repeat(Math.floor(random.float() * 600)) } };
    const { status, body } = remove
      ? await connection.request('DELETE', `${COLLECTION}/${key}`)
      : await connection.request(held ? 'PUT' : 'POST', held ? `${COLLECTION}/${key}` : COLLECTION, object);
    ledger.unanswered.delete(key);
    if (status !== 200 && status !== 201) ledger.complain(`${remove ? 'delete' : held ? 'update' : 'create'} of ${key} was answered with ${status}: ${body.toString().slice(0, 300)}`);
    else if (remove) ledger.acknowledgeDeletion(key);
    else ledger.acknowledge(key, { revision: Number((JSON.parse(body.toString()) as ConfigMap).metadata.resourceVersion), mark });
  }
}
