import { isScalarResource } from '../../api/helpers/resource-names.js';

/** An amount of every resource that nodes offer and pods request. CPU in thousandths, the rest in whole units. */
export interface Resources {
  milliCpu: number;
  memory: number;
  ephemeralStorage: number;
  /** Extended resources, huge pages and attachable volumes; absent when there are none. */
  scalars: Map<string, number> | undefined;
}

export function noResources(): Resources {
  return { milliCpu: 0, memory: 0, ephemeralStorage: 0, scalars: undefined };
}

/** From amounts by name, CPU in thousandths. */
export function toResources(amounts: ReadonlyMap<string, number>): Resources {
  const result = noResources();
  for (const [name, amount] of amounts) {
    switch (name) {
      case 'cpu':
        result.milliCpu = amount;
        break;
      case 'memory':
        result.memory = amount;
        break;
      case 'ephemeral-storage':
        result.ephemeralStorage = amount;
        break;
      default:
        if (isScalarResource(name)) (result.scalars ??= new Map()).set(name, amount);
    }
  }
  return result;
}

/** Adds `sign` times `delta` in place. */
export function applyResources(target: Resources, delta: Resources, sign: 1 | -1): void {
  target.milliCpu += sign * delta.milliCpu;
  target.memory += sign * delta.memory;
  target.ephemeralStorage += sign * delta.ephemeralStorage;
  if (delta.scalars) {
    const scalars = (target.scalars ??= new Map());
    for (const [name, amount] of delta.scalars) scalars.set(name, (scalars.get(name) ?? 0) + sign * amount);
  }
}

export function cloneResources(source: Resources): Resources {
  return {
    milliCpu: source.milliCpu,
    memory: source.memory,
    ephemeralStorage: source.ephemeralStorage,
    scalars: source.scalars ? new Map(source.scalars) : undefined,
  };
}
