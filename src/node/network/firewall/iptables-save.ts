/** The filter table of iptables as far as it matters here. */
export interface IptablesFilter {
  /** Policy by built-in chain; `-` of others. */
  readonly policies: ReadonlyMap<string, string>;
  /** Rules in order, each with its `-A CHAIN` in front. */
  readonly rules: readonly string[];
}

/** Parses what `iptables-save -t filter` writes. */
export function parseIptablesSave(text: string): IptablesFilter {
  const policies = new Map<string, string>();
  const rules: string[] = [];
  let inside = true;
  for (const line of text.split('\n')) {
    if (line.startsWith('*')) inside = line.trim() === '*filter';
    if (!inside) continue;
    const chain = /^:(\S+) (\S+)/.exec(line);
    if (chain) policies.set(chain[1]!, chain[2]!);
    else if (line.startsWith('-A ')) rules.push(line.trim());
  }
  return { policies, rules };
}

/** Whether what no rule accepts is dropped in a built-in chain: by its policy or by a rule for everything. */
export function dropsByDefault(filter: IptablesFilter, chain: string): boolean {
  const all = new RegExp(`^-A ${chain} -j (DROP|REJECT)\\b`);
  return filter.policies.get(chain) === 'DROP' || filter.rules.some((rule) => all.test(rule));
}

/** The chain where rules of others about forwarded packets belong: Docker's own for that purpose where it has one, it keeps them then. */
export function forwardChain(filter: IptablesFilter): string {
  return filter.policies.has('DOCKER-USER') && filter.rules.some((rule) => /^-A FORWARD (.* )?-j DOCKER-USER\b/.test(rule)) ? 'DOCKER-USER' : 'FORWARD';
}

/** The rules with a comment, as arguments after `iptables -D`. */
export function rulesWithComment(filter: IptablesFilter, comment: string): string[][] {
  return filter.rules.map((rule) => rule.slice('-A '.length).split(' ').map((word) => word.replace(/^"(.*)"$/, '$1')))
    .filter((words) => words[words.indexOf('--comment') + 1] === comment && words.includes('--comment'));
}
