import { checkTolerations } from '../../../api/core/pod/tolerations.js';
import type { V1Toleration } from '../../../api/generated/types.js';
import { present, type ConfigReader } from './reader.js';

/** Tolerations of namespaces that do not say themselves. */
export interface TolerationRestriction {
  readonly default: readonly V1Toleration[];
  /** Empty: any may be used. */
  readonly whitelist: readonly V1Toleration[];
}

/** Reads `Configuration` of `podtolerationrestriction.admission.k8s.io/v1alpha1`. */
export function readPodTolerationRestriction(reader: ConfigReader): TolerationRestriction {
  reader.requireType('Configuration', ['podtolerationrestriction.admission.k8s.io/v1alpha1']);
  const read = (field: string): V1Toleration[] => {
    const tolerations = reader.objects(field).map(readToleration);
    checkTolerations(tolerations, reader.at(field), reader.errors);
    return tolerations;
  };
  const result = { default: read('default'), whitelist: read('whitelist') };
  reader.refuseOthers();
  return result;
}

function readToleration(reader: ConfigReader): V1Toleration {
  const toleration = present({
    key: reader.string('key'), operator: reader.string('operator'), value: reader.string('value'), effect: reader.string('effect'), tolerationSeconds: reader.integer('tolerationSeconds'),
  });
  reader.refuseOthers();
  return toleration;
}
