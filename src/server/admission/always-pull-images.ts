import type { Draft } from '../../api/draft.js';
import type { V1Container, V1Pod, V1PodSpec } from '../../api/generated/types.js';
import { notSupported, type FieldError } from '../../api/meta/field-error.js';
import { FieldPath } from '../../api/meta/field-path.js';
import { plainError } from '../../api/status-error.js';
import type { AdmissionAttributes, AdmissionOperation, AdmissionPlugin } from './plugin.js';
import { aggregateDistinct } from '../../api/helpers/aggregate-text.js';
import { concerns, refusal } from './refuse.js';

const LISTS = ['initContainers', 'containers', 'ephemeralContainers'] as const;

/** Every image is pulled anew for each pod, so that nobody runs what only others have the credentials for. */
export class AlwaysPullImages implements AdmissionPlugin {
  readonly name = 'AlwaysPullImages';

  handles(operation: AdmissionOperation): boolean {
    return operation === 'CREATE' || operation === 'UPDATE';
  }

  admit(a: AdmissionAttributes): void {
    if (!isSubject(a)) return;
    const spec = (a.object as Draft<V1Pod>).spec;
    for (const list of LISTS) for (const container of (spec?.[list] ?? []) as Draft<V1Container>[]) container.imagePullPolicy = 'Always';
    for (const volume of spec?.volumes ?? []) if (volume.image) volume.image.pullPolicy = 'Always';
  }

  validate(a: AdmissionAttributes): void {
    if (!isSubject(a)) return;
    const errors = violations((a.object as V1Pod).spec);
    // Upstream answers with what several errors make together, which has no code of its own.
    if (errors.length > 0) throw plainError(aggregateDistinct(errors.map((error) => refusal(a, `${error.field}: ${error.message}`).message)));
  }
}

function violations(spec: V1PodSpec | undefined): FieldError[] {
  const path = FieldPath.of('spec');
  const containers = LISTS.flatMap((list) =>
    ((spec?.[list] ?? []) as readonly V1Container[]).flatMap(({ imagePullPolicy }, i) =>
      imagePullPolicy === 'Always' ? [] : [notSupported(path.child(list).index(i).child('imagePullPolicy'), imagePullPolicy ?? '', ['Always'])]));
  const volumes = (spec?.volumes ?? []).flatMap(({ image }, i) =>
    image && image.pullPolicy !== 'Always' ? [notSupported(path.child('volumes').index(i).child('image', 'pullPolicy'), image.pullPolicy ?? '', ['Always'])] : []);
  return [...containers, ...volumes];
}

/** Updates that bring no new image leave pods as they are. */
function isSubject(a: AdmissionAttributes): boolean {
  if (!concerns(a, '', 'pods')) return false;
  if (a.operation !== 'UPDATE') return true;
  const before = new Set(imagesOf(a.oldObject as V1Pod));
  return imagesOf(a.object as V1Pod).some((image) => !before.has(image));
}

function imagesOf({ spec }: V1Pod): (string | undefined)[] {
  return LISTS.flatMap((list) => ((spec?.[list] ?? []) as readonly V1Container[]).map(({ image }) => image));
}
