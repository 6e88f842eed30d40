import type { V1Container, V1Job, V1Pod, V1PodTemplateSpec } from '../../api/generated/types.js';
import { TRACKING_FINALIZER } from './job-facts.js';
import { COMPLETION_INDEX, failureAnnotations } from './pod-index.js';

const INDEX_VARIABLE = 'JOB_COMPLETION_INDEX';
/** Names are cut so that five random characters make 63. */
const MAX_GENERATED_NAME = 58;

/** The job's template with the finalizer, and for indexed jobs the index as an environment variable: what all its pods share. */
export function jobPodTemplate(job: V1Job, indexed: boolean): V1PodTemplateSpec {
  const template: V1PodTemplateSpec = job.spec?.template ?? {};
  const finalizers = template.metadata?.finalizers ?? [];
  const metadata = { ...template.metadata, finalizers: finalizers.includes(TRACKING_FINALIZER) ? finalizers : [...finalizers, TRACKING_FINALIZER] };
  if (!indexed || !template.spec) return { ...template, metadata };
  const { containers, initContainers } = template.spec;
  return {
    metadata,
    spec: { ...template.spec, containers: containers.map(withIndexVariable), ...(initContainers ? { initContainers: initContainers.map(withIndexVariable) } : {}) },
  };
}

/** The template for one index; `replaced` is the failed pod before it, if failures are counted per index. */
export function indexPodTemplate(job: V1Job, template: V1PodTemplateSpec, index: number, replaced: V1Pod | undefined): V1PodTemplateSpec {
  const perIndex = job.spec?.backoffLimitPerIndex !== undefined;
  return {
    metadata: {
      ...template.metadata,
      annotations: { ...template.metadata?.annotations, [COMPLETION_INDEX]: String(index), ...(perIndex ? failureAnnotations(job, replaced) : {}) },
      labels: { ...template.metadata?.labels, [COMPLETION_INDEX]: String(index) },
    },
    ...(template.spec ? { spec: { ...template.spec, hostname: `${job.metadata?.name ?? ''}-${index}` } } : {}),
  };
}

/** `<job>-<index>-`, the job's name cut where it is too long. */
export function indexPodNamePrefix(jobName: string, index: number): string {
  const end = `-${index}-`;
  return `${jobName.slice(0, MAX_GENERATED_NAME - end.length)}${end}`;
}

function withIndexVariable(container: V1Container): V1Container {
  if (container.env?.some((variable) => variable.name === INDEX_VARIABLE)) return container;
  const variable = { name: INDEX_VARIABLE, valueFrom: { fieldRef: { fieldPath: `metadata.labels['${COMPLETION_INDEX}']` } } };
  return { ...container, env: [...(container.env ?? []), variable] };
}
