import type { V1Pod } from '../../api/generated/types.js';
import { MAX_NODE_SCORE, type ScorePlugin } from '../framework/plugin.js';

const MIB = 1024 * 1024;
/** Images that are smaller in sum do not count. */
const MIN_BYTES = 23 * MIB;
/** Images of a container count up to this size. */
const MAX_BYTES_PER_CONTAINER = 1000 * MIB;

/** Prefers nodes that have the pod's images already, by size, and less so for images that few nodes have (lest one node gets all pods). */
export const imageLocalityPlugin: ScorePlugin = {
  name: 'ImageLocality',
  prepareScore: ({ pod }, snapshot) => {
    const { imageNodes } = snapshot.columns;
    const total = snapshot.nodes.length;
    const images = imagesOf(pod)
      .filter((name) => imageNodes.has(name))
      .map((name) => ({ name, spread: imageNodes.get(name)! / total }));
    if (images.length === 0) return undefined;
    const containers = (pod.spec?.initContainers?.length ?? 0) + (pod.spec?.containers?.length ?? 0);
    const maximum = MAX_BYTES_PER_CONTAINER * containers;
    return {
      score: (node) => {
        let sum = 0;
        for (const { name, spread } of images) {
          const size = node.facts.images.get(name);
          if (size !== undefined) sum += Math.trunc(size * spread);
        }
        const bytes = Math.min(Math.max(sum, MIN_BYTES), maximum);
        return Math.trunc((MAX_NODE_SCORE * (bytes - MIN_BYTES)) / (maximum - MIN_BYTES));
      },
    };
  },
};

function imagesOf(pod: V1Pod): string[] {
  const names: string[] = [];
  for (const { image } of [...(pod.spec?.initContainers ?? []), ...(pod.spec?.containers ?? [])]) if (image) names.push(tagged(image));
  for (const volume of pod.spec?.volumes ?? []) if (volume.image?.reference) names.push(tagged(volume.image.reference));
  return names;
}

/** Node statuses always carry a tag. */
function tagged(image: string): string {
  return image.lastIndexOf(':') <= image.lastIndexOf('/') ? `${image}:latest` : image;
}
