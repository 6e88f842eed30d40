import { quote } from '../../api/meta/field-error.js';
import type { KubeObject } from '../../api/meta/object.js';
import { qualifiedName } from '../../api/meta/validation/labels.js';

const STANDARD: ReadonlySet<string> = new Set(['orphan', 'foregroundDeletion', 'kubernetes']);

/** Warnings about finalizers that are new in an object and that others might use, too. */
export function finalizerWarnings(object: KubeObject, old: KubeObject | undefined): string[] {
  const before = old?.metadata?.finalizers ?? [];
  const added = [...new Set(object.metadata?.finalizers ?? [])].filter((name) => !before.includes(name)).sort();
  return added.flatMap((name) => {
    const about = (text: string): string => `metadata.finalizers: ${quote(name)}: ${text}`;
    const warnings = qualifiedName(name).map(about);
    if (!name.includes('/') && !STANDARD.has(name)) {
      warnings.push(about(`prefer a domain-qualified finalizer name ${name.includes('.') ? 'including a path (/) ' : ''}to avoid accidental conflicts with other finalizer writers`));
    }
    return warnings;
  });
}
