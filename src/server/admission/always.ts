import type { AdmissionAttributes, AdmissionPlugin } from './plugin.js';
import { refusal } from './refuse.js';

/** Refuses nothing. Deprecated upstream; kept so that flags that name it work. */
export class AlwaysAdmit implements AdmissionPlugin {
  readonly name = 'AlwaysAdmit';

  handles(): boolean {
    return false;
  }
}

/** Refuses every write, the server's own too. For trials only. */
export class AlwaysDeny implements AdmissionPlugin {
  readonly name = 'AlwaysDeny';

  handles(): boolean {
    return true;
  }

  admit(a: AdmissionAttributes): void {
    this.validate(a);
  }

  validate(a: AdmissionAttributes): void {
    throw refusal(a, 'admission control is denying all modifications');
  }
}
