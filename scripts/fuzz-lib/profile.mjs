// What a V8 profile's last milliseconds were spent on.

const SHOWN = 25;

/** The functions that were on the stack most of the time in the profile's last `milliseconds`, the most frequent first: "name file:line own+below ms". */
export function whereTimeWent(profile, milliseconds) {
  const nodes = new Map(profile.nodes.map((node) => [node.id, node]));
  const parents = new Map(profile.nodes.flatMap((node) => (node.children ?? []).map((child) => [child, node.id])));
  const own = new Map();
  const total = new Map();
  let left = milliseconds * 1000;
  for (let i = profile.samples.length - 1; i >= 0 && left > 0; i--) {
    const delta = profile.timeDeltas[i];
    left -= delta;
    const seen = new Set();
    for (let id = profile.samples[i]; id !== undefined; id = parents.get(id)) {
      const { functionName, url, lineNumber } = nodes.get(id).callFrame;
      const name = `${functionName || 'anonymous'} ${url.split('/').pop()}:${lineNumber + 1}`;
      if (seen.size === 0) own.set(name, (own.get(name) ?? 0) + delta);
      if (!seen.has(name)) total.set(name, (total.get(name) ?? 0) + delta);
      seen.add(name);
    }
  }
  const inMilliseconds = (value) => Math.round((value ?? 0) / 1000);
  return [...total].sort(([, a], [, b]) => b - a).slice(0, SHOWN).map(([name, time]) => `${name} ${inMilliseconds(own.get(name))}+${inMilliseconds(time - (own.get(name) ?? 0))}`);
}
