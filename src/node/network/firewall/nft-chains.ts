/** A chain of type filter that sees forwarded packets or those for the host. */
export interface BaseChain {
  readonly family: string;
  readonly table: string;
  readonly chain: string;
  readonly hook: 'forward' | 'input';
  readonly policy: string;
}

/** A rule as far as it matters here. */
export interface ChainRule {
  readonly family: string;
  readonly table: string;
  readonly chain: string;
  readonly handle: number;
  readonly comment?: string;
  /** It drops or rejects whatever comes so far. */
  readonly dropsAll: boolean;
}

interface NftDocument {
  readonly nftables?: readonly { readonly chain?: Readonly<Record<string, unknown>>; readonly rule?: Readonly<Record<string, unknown>> }[];
}

/** Base chains for IPv4 packets at the hooks forward and input in what `nft -j list chains` writes. */
export function parseBaseChains(text: string): BaseChain[] {
  return documents(text).flatMap(({ chain }) => {
    if (!chain || chain['type'] !== 'filter') return [];
    const { family, table, name, hook, policy } = chain as Readonly<Record<string, string>>;
    if ((hook !== 'forward' && hook !== 'input') || (family !== 'ip' && family !== 'inet')) return [];
    return [{ family, table: table!, chain: name!, hook, policy: policy ?? 'accept' }];
  });
}

/** Rules in what `nft -j list chain …` writes, one document or several. */
export function parseRules(text: string): ChainRule[] {
  return documents(text).flatMap(({ rule }) => {
    if (!rule) return [];
    const expressions = (Array.isArray(rule['expr']) ? rule['expr'] : []) as Readonly<Record<string, unknown>>[];
    const names = expressions.flatMap((expression) => Object.keys(expression));
    return [{
      family: String(rule['family']), table: String(rule['table']), chain: String(rule['chain']), handle: Number(rule['handle']),
      ...(typeof rule['comment'] === 'string' ? { comment: rule['comment'] } : {}),
      dropsAll: names.some((name) => name === 'drop' || name === 'reject') && names.every((name) => ['drop', 'reject', 'counter', 'log'].includes(name)),
    }];
  });
}

/** The rules of one chain. */
export function rulesOf(rules: readonly ChainRule[], chain: BaseChain): ChainRule[] {
  return rules.filter((rule) => rule.family === chain.family && rule.table === chain.table && rule.chain === chain.chain);
}

function documents(text: string): NonNullable<NftDocument['nftables']>[number][] {
  return text.split('\n').filter((line) => line.startsWith('{')).flatMap((line) => (JSON.parse(line) as NftDocument).nftables ?? []);
}
