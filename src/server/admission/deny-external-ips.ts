import type { V1Service } from '../../api/generated/types.js';
import type { AdmissionAttributes, AdmissionOperation, AdmissionPlugin } from './plugin.js';
import { concerns, refusal } from './refuse.js';

/** Services take no new external addresses; those that they have may stay or go. */
export class DenyServiceExternalIPs implements AdmissionPlugin {
  readonly name = 'DenyServiceExternalIPs';

  handles(operation: AdmissionOperation): boolean {
    return operation === 'CREATE' || operation === 'UPDATE';
  }

  validate(a: AdmissionAttributes): void {
    if (!concerns(a, '', 'services')) return;
    const before = new Set((a.oldObject as V1Service | undefined)?.spec?.externalIPs);
    const added = ((a.object as V1Service).spec?.externalIPs ?? []).some((address) => !before.has(address));
    if (added) throw refusal(a, 'Use of external IPs is denied by admission control');
  }
}
