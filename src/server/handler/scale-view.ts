import type { V1Scale } from '../../api/generated/types.js';
import type { KubeObject } from '../../api/meta/object.js';
import { AGE } from '../../api/scheme/columns.js';
import type { IncludeObject } from '../registry/table-view.js';
import type { Negotiated } from './accept.js';

/** What a client wants to see of a scale: itself, its metadata or its row of a table. `custom`: of a custom kind, whose columns have other formats. */
export function viewOfScale(scale: V1Scale, target: Negotiated['target'], include: IncludeObject, custom: boolean, now: number): object {
  if (target === undefined) return scale;
  const apiVersion = `meta.k8s.io/${target.version}`;
  const onlyMetadata = { kind: 'PartialObjectMetadata', apiVersion, metadata: scale.metadata ?? {} };
  if (target.kind !== 'Table') return onlyMetadata;
  const column = (name: string, type: string, format = ''): object => ({ name, type, format, description: '', priority: 0 });
  return {
    kind: 'Table',
    apiVersion,
    metadata: { resourceVersion: scale.metadata?.resourceVersion ?? '' },
    columnDefinitions: [column('Name', 'string', custom ? 'name' : ''), column('Desired', 'integer'), column('Available', 'integer'), column('Age', custom ? 'date' : 'string')],
    rows: [{
      cells: [scale.metadata?.name ?? '', scale.spec?.replicas ?? 0, scale.status?.replicas ?? 0, AGE.cell(scale as KubeObject, now)],
      object: include === 'None' ? null : include === 'Metadata' ? onlyMetadata : scale,
    }],
  };
}
