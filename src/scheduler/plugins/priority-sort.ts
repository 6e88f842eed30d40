import type { Plugin } from '../framework/plugin.js';

/** Orders the active queue by priority, then by time. The queue has the order built in (`prioritySort`); this stands for it in configuration. */
export const prioritySortPlugin: Plugin = { name: 'PrioritySort' };
