import type { V1Volume, V1VolumeProjection } from '../../generated/types.js';

interface Source {
  readonly path: string;
  /** Empty where the volume has one source only. */
  readonly source: string;
}

/** Warnings for files of one volume that lie at, above or below each other. */
export function overlappingPathWarnings(volumes: readonly V1Volume[]): string[] {
  const warnings: string[] = [];
  for (const volume of volumes) {
    const name = JSON.stringify(volume.name);
    const report = (description: string, paths: readonly Source[]): void => {
      for (const text of overlaps(paths)) warnings.push(`volume ${name} (${description}): overlapping paths: ${text}`);
    };
    if (volume.configMap?.items) report(`ConfigMap ${JSON.stringify(volume.configMap.name ?? '')}`, paths(volume.configMap.items));
    if (volume.secret?.items) report(`Secret ${JSON.stringify(volume.secret.secretName ?? '')}`, paths(volume.secret.items));
    if (volume.downwardAPI?.items) report('DownwardAPI', paths(volume.downwardAPI.items));
    if (!volume.projected) continue;
    const all: Source[] = [];
    for (const source of volume.projected.sources ?? []) {
      if (Object.values(source).every((value) => value === undefined)) warnings.push(`volume ${name} (Projected) has no sources provided`);
      else all.push(...projectedPaths(source));
    }
    report('Projected', all);
  }
  return warnings;
}

function paths(items: readonly { readonly path: string }[], source = ''): Source[] {
  return items.map((item) => ({ path: item.path, source }));
}

function projectedPaths(source: V1VolumeProjection): Source[] {
  if (source.configMap?.items) return paths(source.configMap.items, `ConfigMap ${JSON.stringify(source.configMap.name ?? '')}`);
  if (source.secret?.items) return paths(source.secret.items, `Secret ${JSON.stringify(source.secret.name ?? '')}`);
  if (source.downwardAPI?.items) return paths(source.downwardAPI.items, 'DownwardAPI');
  if (source.serviceAccountToken) return [{ path: source.serviceAccountToken.path, source: 'ServiceAccountToken' }];
  return [];
}

/** More are never shown: warnings are cut off long before. */
const MAX_TEXTS = 1000;

function overlaps(sources: readonly Source[]): string[] {
  const texts: string[] = [];
  const needles = sources.map(({ path, source }): Source => ({ path: path.replace(/\/+$/, ''), source })).filter(({ path }) => path !== '');
  const top = topPaths(needles);
  // Only paths below the same one can overlap: thousands are not compared all with all.
  const seen = new Map<string, Source[]>();
  for (const needle of needles) {
    const root = top.get(needle.path)!;
    const group = seen.get(root);
    if (!group) {
      seen.set(root, [needle]);
      continue;
    }
    for (const item of group) {
      if (!`${item.path}/`.startsWith(`${needle.path}/`) && !`${needle.path}/`.startsWith(`${item.path}/`)) continue;
      if (texts.push(`${show(needle)} with ${show(item)}`) >= MAX_TEXTS) return texts;
    }
    group.push(needle);
  }
  return texts;
}

/** The uppermost of the given paths at or above each of them. */
function topPaths(sources: readonly Source[]): ReadonlyMap<string, string> {
  const tops = new Map<string, string>();
  let top: string | undefined;
  for (const path of sources.map((source) => `${source.path}/`).sort()) {
    if (top === undefined || !path.startsWith(top)) top = path;
    tops.set(path.slice(0, -1), top);
  }
  return tops;
}

function show({ path, source }: Source): string {
  return source === '' ? JSON.stringify(path) : `${JSON.stringify(path)} (${source})`;
}
