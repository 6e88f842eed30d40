import type { ServedResource } from '../../api/scheme/scheme.js';
import { StatusError } from '../../api/status-error.js';
import type { UserInfo } from '../authn/authenticator.js';
import type { ApiCore } from '../handler/api-core.js';
import { deleteObject } from '../registry/deletion.js';

/** Objects deleted at the same time. */
const PARALLEL = 16;

/** Deletes all objects of a custom resource, in its storage version and whether it is served or not. Nobody is asked for admission, as in upstream. */
export async function removeObjects(core: ApiCore, hub: ServedResource, user: UserInfo): Promise<void> {
  const registry = core.registry(hub);
  const { tree } = registry.cache;
  for (let start: string | undefined = ''; start !== undefined; ) {
    const entries = tree.values(start, undefined, PARALLEL);
    await Promise.all(entries.map(async ({ namespace, name }) => {
      try {
        await deleteObject(registry, { namespace, name, user, dryRun: false, options: {}, warn: () => undefined, validate: () => undefined });
      } catch (error) {
        if (!StatusError.is(error, 'NotFound')) throw error;
      }
    }));
    start = entries.length < PARALLEL ? undefined : `${entries[entries.length - 1]!.key}\0`;
  }
}
