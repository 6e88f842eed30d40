import { JsonPath, printed } from '../../api/apiextensions/structural/json-path.js';
import type { V1CustomResourceColumnDefinition } from '../../api/generated/types.js';
import { ageText } from '../../api/helpers/duration.js';
import type { KubeObject } from '../../api/meta/object.js';
import type { TableColumn } from '../../api/scheme/kind.js';

const NAME: TableColumn<KubeObject> = {
  name: 'Name', type: 'string', format: 'name', description: 'Name must be unique within a namespace.', cell: (object) => object.metadata?.name ?? '',
};
const AGE: V1CustomResourceColumnDefinition = {
  name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp', description: 'CreationTimestamp is a timestamp representing the server time when this object was created.',
};

/** The columns of a version's tables: the name, and what the definition says; the age where it says nothing. A path that cannot be read leaves the name alone. */
export function customColumns(defined: readonly V1CustomResourceColumnDefinition[] | undefined): readonly TableColumn<KubeObject>[] {
  const columns: TableColumn<KubeObject>[] = [NAME];
  for (const definition of defined && defined.length > 0 ? defined : [AGE]) {
    const path = JsonPath.parse(definition.jsonPath);
    if (path === undefined) return [NAME];
    columns.push({
      name: definition.name,
      type: definition.type as TableColumn<KubeObject>['type'],
      format: definition.format ?? '',
      description: definition.description || `Custom resource definition column (in JSONPath format): ${definition.jsonPath}`,
      priority: definition.priority ?? 0,
      cell: (object, now) => cellOf(path.find(object), definition.type, now),
    });
  }
  return columns;
}

function cellOf(found: readonly unknown[], type: string, now: number): string | number | boolean | null {
  if (found.length === 0) return null;
  const value = found[0];
  if (type === 'string') return printed(value);
  if (value === null || value === undefined) return null;
  switch (type) {
    case 'integer':
      return typeof value === 'number' ? Math.trunc(value) : null;
    case 'number':
      return typeof value === 'number' ? value : null;
    case 'boolean':
      return typeof value === 'boolean' ? value : null;
    case 'date':
      if (typeof value !== 'string') return null;
      return /^\d{4}-\d\d-\d\dT/.test(value) && !Number.isNaN(Date.parse(value)) ? ageText(value, now) : value === '' ? '<unknown>' : '<invalid>';
    default:
      return null;
  }
}
