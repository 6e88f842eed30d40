import { refused } from '../image-error.js';
import type { LowerEntry } from './lower-view.js';

/** Links followed on one way; as many as Linux's own resolver in containerd. */
const MAX_LINKS = 255;
const LONGEST_PATH = 4095;
const LONGEST_NAME = 255;

/** Owner, mode and time of something. */
export interface Attributes {
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  /** Seconds since the epoch, with a fraction. */
  readonly mtime: number;
}

/** A folder of the layer that is being unpacked. */
export interface FolderNode {
  readonly kind: 'folder';
  /** Without a leading slash; empty: the root. */
  readonly path: string;
  readonly children: Map<string, LayerNode>;
  /** What the layers below show at this place; undefined: nothing, or it is hidden. */
  lower: LowerEntry | undefined;
  /** It hides a folder below. */
  opaque: boolean;
  /** Names below that are deleted. */
  readonly deleted: Set<string>;
  attributes: Attributes;
}

/** Something in the layer that is being unpacked. */
export type LayerNode = FolderNode | { readonly kind: 'file' } | { readonly kind: 'link'; readonly target: string };

/** A way into the image: the folders from the root on, each in this layer, below, or nowhere yet. */
interface Step {
  readonly name: string;
  readonly node: FolderNode | undefined;
  readonly lower: LowerEntry | undefined;
}

/** What of a layer is unpacked so far, and the rules by which names in it are found. It never leaves the root. */
export class LayerTree {
  readonly root: FolderNode;

  constructor(lower: LowerEntry | undefined, private readonly makeFolder: (path: string) => Promise<void>) {
    this.root = folder('', lower, lower ? attributesOf(lower) : { mode: 0o755, uid: 0, gid: 0, mtime: 0 });
  }

  /** Finds the folder of a path; symbolic links on the way count from the image's root. Undefined: it does not exist in this layer nor below. */
  async find(components: readonly string[], what: string): Promise<{ readonly node: FolderNode | undefined; readonly lower: LowerEntry | undefined; readonly steps: readonly Step[] } | undefined> {
    const steps = await this.walk(components, what, false);
    if (!steps) return undefined;
    const last = steps.at(-1)!;
    return { node: last.node, lower: last.lower, steps };
  }

  /** Finds or makes the folder of a path. A missing one gets the attributes of that below, else root's with mode 0755. */
  async enter(components: readonly string[], what: string): Promise<FolderNode> {
    return this.materialise((await this.walk(components, what, true))!);
  }

  /** Makes what is missing of a way. */
  async materialise(steps: readonly Step[]): Promise<FolderNode> {
    let parent = this.root;
    for (const step of steps.slice(1)) {
      const known = parent.children.get(step.name);
      if (known?.kind === 'folder') {
        parent = known;
        continue;
      }
      parent = await this.add(parent, step.name, step.lower ? attributesOf(step.lower) : { mode: 0o755, uid: 0, gid: 0, mtime: 0 });
    }
    return parent;
  }

  /** Adds a folder to one, in which there is none of its name. */
  async add(parent: FolderNode, name: string, attributes: Attributes): Promise<FolderNode> {
    const path = join(parent, name);
    await this.makeFolder(path);
    const below = await parent.lower?.child(name);
    const hidden = parent.deleted.has(name);
    const node = folder(path, below?.isFolder && !hidden ? below : undefined, attributes);
    node.opaque = hidden && below?.isFolder === true;
    parent.children.set(name, node);
    return node;
  }

  /** Hides everything below a folder. */
  hide(node: FolderNode): void {
    node.opaque ||= node.lower !== undefined;
    forget(node);
  }

  private async walk(components: readonly string[], what: string, make: boolean): Promise<readonly Step[] | undefined> {
    const root: Step = { name: '', node: this.root, lower: this.root.lower };
    let steps: Step[] = [root];
    const pending = [...components];
    let links = 0;
    for (let name = pending.shift(); name !== undefined; name = pending.shift()) {
      if (name === '' || name === '.') continue;
      if (name === '..') {
        if (steps.length > 1) steps.pop();
        continue;
      }
      const last = steps.at(-1)!;
      const node = last.node?.children.get(name);
      const lower = last.node?.deleted.has(name) ? undefined : await last.lower?.child(name);
      const target = node ? (node.kind === 'link' ? node.target : undefined) : lower?.stats.isSymbolicLink() ? await lower.target() : undefined;
      if (target !== undefined) {
        if (++links > MAX_LINKS) throw refused(`${what}: symbolic links on its way form a cycle`);
        if (target.startsWith('/')) steps = [root];
        pending.unshift(...target.split('/'));
        continue;
      }
      if (node ? node.kind !== 'folder' : lower && !lower.isFolder) throw refused(`${what}: ${steps.slice(1).map((step) => `${step.name}/`).join('')}${name} on its way is not a folder`);
      if (!node && !lower && !make) return undefined;
      const inner = node?.kind === 'folder' ? node : undefined;
      steps.push({ name, node: inner, lower: inner ? inner.lower : lower });
      if (steps.length > LONGEST_PATH / 2) throw refused(`${what}: its path is too deep`);
    }
    return steps;
  }
}

/** Path of a name in a folder. */
export function join(parent: FolderNode, name: string): string {
  return parent.path === '' ? name : `${parent.path}/${name}`;
}

/** The parts of a path in a layer, from its root. Throws for one that cannot be. A leading slash means the same as none, as some tools write it. */
export function components(path: string, what: string): readonly string[] {
  if (path.includes('\0')) throw refused(`${what}: its path holds a NUL character`);
  if (Buffer.byteLength(path) > LONGEST_PATH) throw refused(`${what.slice(0, 200)}…: its path has more than ${LONGEST_PATH} bytes`);
  const parts = path.split('/').filter((part) => part !== '' && part !== '.');
  if (parts.includes('..')) throw refused(`${what}: its path has "..", which could lead out of the image`);
  if (parts.some((part) => Buffer.byteLength(part) > LONGEST_NAME)) throw refused(`${what.slice(0, 200)}…: a name in its path has more than ${LONGEST_NAME} bytes`);
  return parts;
}

function attributesOf({ stats }: LowerEntry): Attributes {
  return { mode: stats.mode & 0o7777, uid: stats.uid, gid: stats.gid, mtime: stats.mtimeMs / 1000 };
}

function folder(path: string, lower: LowerEntry | undefined, attributes: Attributes): FolderNode {
  return { kind: 'folder', path, children: new Map(), lower, opaque: false, deleted: new Set(), attributes };
}

/** Below an opaque folder nothing has anything below, so nothing needs to hide it. */
function forget(node: FolderNode): void {
  const pending = [node];
  for (let next = pending.pop(); next; next = pending.pop()) {
    next.lower = undefined;
    next.deleted.clear();
    if (next !== node) next.opaque = false;
    for (const child of next.children.values()) if (child.kind === 'folder') pending.push(child);
  }
}
