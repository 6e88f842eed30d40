/** For which machines an image is; as in OCI indexes. */
export interface Platform {
  readonly os: string;
  readonly architecture: string;
  readonly variant?: string;
}

/** Node's names of processors in Go's words. */
const ARCHITECTURES: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64', arm: 'arm', ia32: '386', ppc64: 'ppc64le', s390x: 's390x', riscv64: 'riscv64', loong64: 'loong64', mips64el: 'mips64le' };

/** What else a processor runs, the best first: `architecture/variant`. */
const ALSO: Readonly<Record<string, readonly string[]>> = {
  amd64: ['amd64/', '386/'],
  arm64: ['arm64/v8', 'arm/v8', 'arm/v7', 'arm/v6', 'arm/v5'],
  arm: ['arm/v7', 'arm/v6', 'arm/v5'],
};

/** Go's name of a processor that Node calls `arch`. */
export function goArchitecture(arch: string): string {
  return ARCHITECTURES[arch] ?? arch;
}

/** `linux/arm64/v8`. */
export function formatPlatform(platform: Platform): string {
  return [platform.os, platform.architecture, ...(platform.variant ? [platform.variant] : [])].join('/');
}

/**
 * How well an image for `platform` fits Linux on `architecture` (Go's name): 0 is best, larger is worse, undefined not at all.
 * The order is containerd's.
 */
export function platformRank(platform: Platform, architecture: string): number | undefined {
  if (platform.os.toLowerCase() !== 'linux') return undefined;
  const rank = (ALSO[architecture] ?? [`${architecture}/`]).indexOf(normalised(platform));
  return rank < 0 ? undefined : rank;
}

function normalised({ architecture, variant = '' }: Platform): string {
  switch (architecture) {
    case 'x86_64': case 'x86-64': case 'amd64': return `amd64/${variant === 'v1' ? '' : variant}`;
    case 'i386': case '386': return '386/';
    case 'aarch64': case 'arm64': return `arm64/${variant === '' || variant === '8' ? 'v8' : variant}`;
    case 'armhf': return 'arm/v7';
    case 'armel': return 'arm/v6';
    case 'arm': return `arm/${variant === '' ? 'v7' : /^\d$/.test(variant) ? `v${variant}` : variant}`;
    default: return `${architecture}/${variant}`;
  }
}
