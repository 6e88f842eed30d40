import type { Clock } from '../base/clock.js';
import type { Store } from '../storage/index.js';

/** As upstream's `--etcd-healthcheck-timeout` and `--etcd-readycheck-timeout`. */
const TIMEOUT_MILLISECONDS = 2_000;

/** Rejects when the store does not answer a read within two seconds. */
export function storeAnswers(store: Store, clock: Clock): Promise<void> {
  return new Promise((resolve, reject) => {
    const cancel = clock.setTimeout(() => reject(new Error(`the store has not answered within ${TIMEOUT_MILLISECONDS / 1000} s`)), TIMEOUT_MILLISECONDS, { unref: true });
    store.currentRevision().then(() => resolve(), reject).finally(cancel);
  });
}
