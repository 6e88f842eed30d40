import { RawConnection, type RawTarget } from '../../harness/raw-connection.js';

interface Told {
  readonly type: string;
  readonly object: { readonly metadata?: { readonly name?: string; readonly resourceVersion?: string } };
}

/** What happened to an object, and the revision at which it did. */
export interface Followed {
  readonly type: string;
  readonly name: string;
  readonly revision: number;
}

/** Watches a collection of one server from after `revision` as long as `goesOn`; goes on where it was when the watch ends, and never lists again. */
export async function follow(target: RawTarget, path: string, revision: number, goesOn: () => boolean, onEvent: (event: Followed) => void): Promise<void> {
  let last = revision;
  while (goesOn()) {
    const connection = await RawConnection.open(target);
    const timer = setInterval(() => goesOn() || connection.close(), 50);
    let rest = '';
    await connection.stream(`${path}${path.includes('?') ? '&' : '?'}watch=1&resourceVersion=${last}`, (text) => {
      const lines = (rest + text).split('\n');
      rest = lines.pop()!;
      for (const line of lines) {
        const { type, object: { metadata } } = JSON.parse(line) as Told;
        last = Number(metadata?.resourceVersion ?? last);
        // A watch that the server cannot begin says so with a status of its own.
        if (metadata?.name !== undefined) onEvent({ type, name: metadata.name, revision: last });
      }
    });
    clearInterval(timer);
    connection.close();
  }
}
