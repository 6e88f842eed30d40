import { KubeError } from '../../base/errors.js';
import type { GetResult, RangeResult, Revision, Store, StoreCapabilities, StoreWatch, TransactionResult } from '../store.js';

/** A store of which every call fails with the given error: for tests of everything that stands on a store. */
export class FailingStore implements Store {
  readonly capabilities: StoreCapabilities = { durable: false, ttl: false, shared: false };

  constructor(private readonly error: Error = new KubeError('KUBE_STORE_UNAVAILABLE', 'the store is not available')) {}

  async currentRevision(): Promise<Revision> {
    throw this.error;
  }

  async get(): Promise<GetResult> {
    throw this.error;
  }

  async range(): Promise<RangeResult> {
    throw this.error;
  }

  async transact(): Promise<TransactionResult> {
    throw this.error;
  }

  async watch(): Promise<StoreWatch> {
    throw this.error;
  }

  async compact(): Promise<void> {
    throw this.error;
  }

  async close(): Promise<void> {
    // Closing a store that never worked releases nothing and so cannot fail.
  }
}
