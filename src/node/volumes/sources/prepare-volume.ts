import { prepareEmptyDir } from './empty-dir.js';
import { prepareHostPath } from './host-path.js';
import { prepareImage } from './image.js';
import { prepareNfs } from './nfs.js';
import { prepareConfigMap, prepareSecret } from './object-source.js';
import { prepareClaim, prepareEphemeral } from './persistent-volume.js';
import type { PreparedVolume } from './prepared.js';
import { prepareDownward, prepareProjected } from './projected.js';
import type { SourceContext } from './source-context.js';

/** Does everything for a volume that comes before its mount. Throws with a message fit for an event. */
export async function prepareVolume(context: SourceContext): Promise<PreparedVolume> {
  const { volume, images } = context;
  if (volume.configMap) return prepareConfigMap(context, volume.configMap);
  if (volume.secret) return prepareSecret(context, volume.secret);
  if (volume.projected) return prepareProjected(context, volume.projected);
  if (volume.downwardAPI) return prepareDownward(context, volume.downwardAPI);
  if (volume.hostPath) return prepareHostPath(volume.hostPath, false);
  if (volume.persistentVolumeClaim) return prepareClaim(context, volume.persistentVolumeClaim.claimName, volume.persistentVolumeClaim.readOnly === true);
  if (volume.ephemeral) return prepareEphemeral(context);
  if (volume.nfs) return prepareNfs(context, volume.name, volume.nfs, false, []);
  if (volume.image && images) return prepareImage(context, images, volume.image);
  const type = Object.keys(volume).find((key) => key !== 'name');
  if (type === undefined || type === 'emptyDir') return prepareEmptyDir(context);
  throw new Error(`volumes of type ${type} are not supported`);
}
