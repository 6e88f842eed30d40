import type { V1LabelSelector } from '../../api/generated/types.js';
import { LabelSelector } from '../../api/selectors/label-selector.js';

/** Compiles the selectors of immutable objects once. One that the API would refuse matches nothing. */
export class SelectorCache {
  private readonly compiled = new WeakMap<object, LabelSelector>();

  /** An absent selector matches nothing, an empty one everything. */
  of(selector: V1LabelSelector | undefined): LabelSelector {
    if (!selector) return LabelSelector.nothing;
    let compiled = this.compiled.get(selector);
    if (!compiled) {
      compiled = compile(selector);
      this.compiled.set(selector, compiled);
    }
    return compiled;
  }
}

function compile(selector: V1LabelSelector): LabelSelector {
  try {
    return LabelSelector.fromObject(selector);
  } catch {
    return LabelSelector.nothing;
  }
}
