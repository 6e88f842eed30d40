/** Why a container does not run: becomes the reason and message of its waiting state. */
export class StartFailure extends Error {
  constructor(
    readonly reason: string,
    message: string,
  ) {
    super(message);
    this.name = 'StartFailure';
  }
}
