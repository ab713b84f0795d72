import type { Context } from '../context.ts'
import type { Given, Result } from '../result.ts'

/** Opens nothing. */
export async function listIdentities(context: Context): Promise<Result> {
  const profile = await context.profile().catch(() => null)
  const identities = (await context.keys.dids()).map((did) => ({
    did,
    keys: context.keys.pathOf(did),
    isCurrent: did === profile?.did,
  }))
  return {
    data: { identities },
    text:
      identities.length === 0
        ? 'There are no keys on this machine. Next: svc id new, or svc id import FILE'
        : identities.map(({ did, isCurrent }) => `${isCurrent ? '*' : ' '} ${did}`),
  }
}

export async function showIdentity(context: Context, { args: [given] }: Given): Promise<Result> {
  const did = given ?? (await context.did())
  const { identity, devices, recovery } = await context.keys.load(did)
  const shown = {
    did,
    root: identity && { userId: identity.userId, epoch: identity.epoch, publicKeyB64u: identity.publicKeyB64u },
    devices: devices.map(({ deviceId, membership, options }) => ({
      deviceId,
      origin: options.origin,
      capabilities: membership?.capabilities ?? [],
      isAttested: membership !== null,
    })),
    hasRecovery: recovery !== null,
  }
  return {
    data: shown,
    text: [
      did,
      identity
        ? `root key  epoch ${identity.epoch}, ${identity.userId.slice(0, 16)}…`
        : 'root key  not on this machine',
      ...shown.devices.map(({ deviceId, isAttested }) => `device    ${deviceId}${isAttested ? '' : ', not attested'}`),
      `recovery  ${recovery ? 'prepared' : 'not prepared: svc recovery prepare'}`,
    ],
  }
}
