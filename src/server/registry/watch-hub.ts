import type { CacheEvent } from './cache-event.js';
import type { CacheWatcher } from './cache-watcher.js';
import type { ConvertedEntries } from './converted-entries.js';
import { ConvertedWatchGroup } from './converted-watch-group.js';
import type { FieldIndex } from './field-index.js';
import type { Selection } from './selection.js';
import type { View } from './view.js';
import { WatchGroup } from './watch-group.js';

/** The watchers of one resource, arranged so that a change only meets the groups that may want it. */
export class WatchHub {
  private readonly groups = new Map<string, WatchGroup>();
  private readonly broad = new Set<WatchGroup>();
  private readonly byTrigger = new Map<string, Set<WatchGroup>>();
  private readonly dirty = new Set<WatchGroup>();
  private count = 0;

  constructor(
    private readonly index: FieldIndex | undefined,
    /** Called when something waits to be flushed and nothing did before. */
    private readonly onDirty: () => void,
  ) {}

  get size(): number {
    return this.count;
  }

  /**
   * Adds a watcher; `begin` is called when the group has flushed, so that what it reads from the cache then is
   * exactly what the watcher has not been sent.
   */
  add(watcher: CacheWatcher, selection: Selection, view: View, begin: (group: WatchGroup) => void, converted?: ConvertedEntries): void {
    const id = groupId(selection, view, converted);
    let group = this.groups.get(id);
    if (!group) {
      group = converted ? new ConvertedWatchGroup(id, selection, view, converted) : new WatchGroup(id, selection, view);
      this.groups.set(id, group);
      this.arrange(group, true);
    }
    group.flush();
    begin(group);
    if (watcher.isEnded) {
      if (group.watchers.size === 0) this.drop(group);
      return;
    }
    group.watchers.add(watcher);
    this.count++;
  }

  remove(watcher: CacheWatcher, selection: Selection, view: View, converted?: ConvertedEntries): void {
    const group = this.groups.get(groupId(selection, view, converted));
    if (!group?.watchers.delete(watcher)) return;
    group.left?.(watcher);
    this.count--;
    if (group.watchers.size === 0) this.drop(group);
  }

  offer(event: CacheEvent): void {
    if (this.groups.size === 0) return;
    for (const group of this.broad) this.offerTo(group, event);
    if (this.byTrigger.size === 0) return;
    const { entry, previous } = event;
    this.offerAll(`name:${entry.key}`, event);
    const slash = entry.key.indexOf('/');
    if (slash >= 0) this.offerAll(`namespace:${entry.key.slice(0, slash)}`, event);
    if (!this.index) return;
    const after = this.index.value(entry);
    const before = previous ? this.index.value(previous) : after;
    this.offerAll(`field:${after}`, event);
    if (before !== after) this.offerAll(`field:${before}`, event);
  }

  flush(): void {
    for (const group of this.dirty) group.flush();
    this.dirty.clear();
  }

  bookmark(revision: number): void {
    this.dirty.clear();
    for (const group of this.groups.values()) group.bookmark(revision);
  }

  /** Ends all watches. */
  endAll(): void {
    for (const group of [...this.groups.values()]) for (const watcher of [...group.watchers]) watcher.end();
  }

  private offerAll(trigger: string, event: CacheEvent): void {
    const groups = this.byTrigger.get(trigger);
    if (groups) for (const group of groups) this.offerTo(group, event);
  }

  private offerTo(group: WatchGroup, event: CacheEvent): void {
    if (!group.offer(event)) return;
    if (this.dirty.size === 0) this.onDirty();
    this.dirty.add(group);
  }

  private drop(group: WatchGroup): void {
    this.groups.delete(group.id);
    this.dirty.delete(group);
    this.arrange(group, false);
  }

  private arrange(group: WatchGroup, add: boolean): void {
    const trigger = this.triggerOf(group.selection);
    if (trigger === undefined) {
      if (add) this.broad.add(group);
      else this.broad.delete(group);
      return;
    }
    const groups = this.byTrigger.get(trigger) ?? new Set();
    if (add) {
      groups.add(group);
      this.byTrigger.set(trigger, groups);
    } else if (groups.delete(group) && groups.size === 0) this.byTrigger.delete(trigger);
  }

  private triggerOf(selection: Selection): string | undefined {
    if (selection.key !== undefined) return `name:${selection.key}`;
    const value = this.index && selection.requiredField(this.index.field);
    if (value) return `field:${value}`;
    return selection.namespace === '' ? undefined : `namespace:${selection.namespace}`;
  }
}

/** Views of metadata are the same for all versions, what they show need not be. */
function groupId(selection: Selection, view: View, converted: ConvertedEntries | undefined): string {
  return `${converted ? `${converted.name}|` : ''}${view.name}|${selection.id}`;
}
